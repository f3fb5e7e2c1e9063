"""The words behind each finding code: what it means, why it matters, an example, what to do.

Loaded only when a code is explained. One entry for every code of the catalogue; a test holds it.
"""

from __future__ import annotations

from typing import Final

TEXTS: Final[dict[str, tuple[str, str, str, str]]] = {
    "ASM101": (
        "Part of an instruction file lies behind the byte limit of the chain.",
        "The agent loads the first bytes and says nothing. Rules at the end of a long file, often "
        "release and security rules, are simply not there.",
        "AGENTS.md has 40,953 bytes, the limit is 32,768: it stops at line 412.",
        "Move as many bytes as the message says out of the folders of this path: into an AGENTS.md "
        "of other folders, a skill, or a file that is read on demand (Codex follows no @path).",
    ),
    "ASM102": (
        "A whole instruction file is never read, because files above it use up the limit.",
        "The limit is spent from the root down, so the file nearest to the work is lost first: "
        "the very one that says what is special here.",
        "A root AGENTS.md of 32,768 bytes leaves nothing for packages/parser/AGENTS.md.",
        "Shorten the files above it by the bytes that the message names.",
    ),
    "ASM103": (
        "A file of white space is used for its folder, adds nothing, and hides another file.",
        "The name is chosen before anything is read, so an empty AGENTS.override.md switches the "
        "folder's AGENTS.md off.",
        "packages/web/AGENTS.override.md holds two line feeds; AGENTS.md beside it is not loaded.",
        "Remove the blank file, or write into it what should hold.",
    ),
    "ASM104": (
        "AGENTS.override.md is used in place of AGENTS.md of its folder.",
        "That is what it is for. But nothing of the hidden file is loaded, and reviewers tend to "
        "read AGENTS.md alone.",
        "AGENTS.override.md of 640 bytes stands beside AGENTS.md of 1,290 bytes.",
        "Nothing, if it is meant. Else remove the override.",
    ),
    "ASM105": (
        "A file applies to the target but lies below the folder where the agent starts.",
        "The walk ends at the start folder. Instructions of deeper folders are not in the first "
        "input, whatever the task is about.",
        "The agent starts at the root, the target is packages/parser/src/tokenize.ts, and "
        "packages/parser/AGENTS.md is not loaded.",
        "Start the agent in that folder, or assemble for the target: `assembler assemble -t PATH`.",
    ),
    "ASM106": (
        "An instruction file is a link to something outside the repository.",
        "Its bytes are in no commit, nobody reviewed them, and another machine has others.",
        "AGENTS.md -> ../shared/AGENTS.md",
        "Copy the file into the repository.",
    ),
    "ASM107": (
        "An instruction file can't be looked at or read: a loop of links, a dead link, no "
        "permission, a name too long, a merge conflict.",
        "Codex drops every project file of the run when one of them fails, without a word. A dead "
        "link alone is passed over as if it were not there.",
        "a/AGENTS.md -> loop.md -> AGENTS.md: the root's AGENTS.md is gone too.",
        "Repair or remove the file.",
    ),
    "ASM108": (
        "The name is right but for the case of its letters.",
        "It loads on a system that folds case (macOS, Windows) and not on Linux, so colleagues "
        "and CI see different instructions.",
        "agents.md in place of AGENTS.md.",
        "Rename it with git mv.",
    ),
    "ASM109": (
        "Something with the name of an instruction file is no regular file.",
        "A folder, FIFO, socket or device is passed over and the next name of the folder is tried.",
        "A folder called AGENTS.md that holds notes.",
        "Rename it, or put a file in its place.",
    ),
    "ASM110": (
        "An instruction file is not UTF-8.",
        "The agent reads U+FFFD for every bad byte; a UTF-16 file becomes unreadable as a whole.",
        'A file saved as Latin-1: "caf" and the byte E9.',
        "Save it as UTF-8.",
    ),
    "ASM111": (
        "The agent's own configuration says that this project is not trusted.",
        "Then no project instruction is loaded, without a warning, while skills of the same "
        "project still are.",
        'projects."/home/me/shop" has trust_level = "untrusted".',
        "Change the trust entry of the user's configuration, if the project deserves it.",
    ),
    "ASM112": (
        "A file is loaded that git does not track.",
        "It acts on this machine alone. A run of another checkout, or of CI, has other rules.",
        "An ignored AGENTS.override.md beside a tracked AGENTS.md.",
        "Commit it, or know that it is yours alone.",
    ),
    "ASM113": (
        "A file holds nothing but a path: a link that was checked out as text.",
        "Git writes a link's target into a plain file where links are off. The agent then reads "
        "the path in place of the instructions.",
        'AGENTS.md holds the nine bytes "CLAUDE.md".',
        "Set core.symlinks and check the file out again, or make it a real file.",
    ),
    "ASM114": (
        "Two names of the chain lead to one real file.",
        "Codex loads the text twice and pays for it twice; here it is loaded once, at its first "
        "place.",
        "AGENTS.md -> .ai/AGENTS.md, and the work is in .ai.",
        "Nothing, if it is meant.",
    ),
    "ASM115": (
        "There is no repository, so only the start folder is read.",
        "Instruction files of the folders above do not count, however near they are.",
        "A folder of notes that was never put under git.",
        "Start inside a repository, or make one: git init.",
    ),
    "ASM116": (
        "A file with instructions that this agent never looks for.",
        "Each agent has its own names. What stands only here is not loaded.",
        "CLAUDE.md in a repository that is worked on with Codex.",
        "Name it AGENTS.md, link the two, or add the name to the fallback names.",
    ),
    "ASM117": (
        "The user's and the project's instructions together exceed the limit.",
        "The limit cuts project files only, so nothing is lost; but the agent warns, and the text "
        "is longer than anybody planned.",
        "30,000 bytes of ~/.codex/AGENTS.md and 5,000 bytes of project files.",
        "Shorten one of them.",
    ),
    "ASM118": (
        "The user's own instruction file could not be read.",
        "The agent warns and goes on with the next name, so personal rules are missing.",
        "~/.codex/AGENTS.override.md is a link to itself.",
        "Repair or remove it.",
    ),
    "ASM119": (
        "The agent ignores this configuration at this place.",
        "A setting that stands where nobody reads it looks as if it held.",
        "project_root_markers in a project's own .codex/config.toml.",
        "Move it to the user's configuration.",
    ),
    "ASM120": (
        "A name looks like one that is read, and is another: a letter of another script, a hidden "
        "mark, a blank.",
        "A reader takes it for the instruction file; the agent compares bytes and passes it over.",
        "AGENTS.md with a Cyrillic S, or with U+200B at its end.",
        "Rename it to the exact name, or remove it.",
    ),
    "ASM121": (
        "An instruction file has a second name somewhere (a hard link).",
        "Who changes the file under its other name, perhaps outside the repository, changes the "
        "instructions. One that belongs to another user is not opened in strict mode.",
        "AGENTS.md has two names; the other one is in a home folder.",
        "Make it a file of its own: cp AGENTS.md new && mv new AGENTS.md.",
    ),
    "ASM122": (
        "The start folder was named through a link, and the agent walks another way for it.",
        "An agent that is told a folder by a link may walk the parents of the link, and not those "
        "of the folder it leads to, so that it loads other files.",
        "link -> r/s: `codex -C link` reads link/AGENTS.md alone, `cd link; codex` r and r/s.",
        "Name the folder itself.",
    ),
    "ASM123": (
        "Something is called .git and is no repository: an empty folder, a stray file.",
        "Git passes it over and finds the repository above. An agent that goes by the name alone "
        "stops there, and loads nothing from above.",
        "web/.git is an empty folder: Codex started there never sees the AGENTS.md of the root.",
        "Remove it, or make it a repository.",
    ),
    "ASM124": (
        "The repository around the work is the whole home folder.",
        "Whatever instructions stand in the home folder hold for every project below that has no "
        "repository of its own.",
        "Dotfiles are kept in a repository at ~, and ~/src/tool has none.",
        "Make the project a repository of its own.",
    ),
    "ASM125": (
        "An instruction file of a repository around this one.",
        "A submodule, a nested repository or a linked worktree is a root of its own: what stands "
        "above it is not loaded.",
        "shop/AGENTS.md, when the work is in the submodule shop/vendor/lib.",
        "Nothing, if it is meant. Else copy what should hold into a file of this repository.",
    ),
    "ASM126": (
        "The agent runs under a permission profile of the user's own.",
        "Files that such a profile does not let the agent read are missing from its instructions "
        "without a word. That is not worked out here.",
        'default_permissions = "careful" in ~/.codex/config.toml.',
        "Ask the agent itself: `assembler chain --agent codex --confirm`.",
    ),
    "ASM127": (
        "The project has configuration of an agent's own.",
        "It can set another limit and other names than the ones that are shown without --agent, "
        "where the user trusts the project.",
        ".codex/config.toml with project_doc_max_bytes = 100.",
        "Look with `assembler chain --agent codex`.",
    ),
    "ASM128": (
        "The limit of instruction files is set to 0 bytes, by the agent's configuration or by the "
        "profile.",
        "Then no project instruction is loaded, and the agent says nothing.",
        "project_doc_max_bytes = 0 in ~/.codex/config.toml.",
        "Remove the setting, or raise it.",
    ),
    "ASM129": (
        "A deny rule of host or profile covers an instruction file, or what a link of it leads to.",
        "Nothing of it is opened. Policy must not vanish by a rule, so that a run is refused.",
        "AGENTS.md -> .env, which is denied by default.",
        "Lift the rule, or remove the file.",
    ),
    "ASM130": (
        "An instruction file is a link to something that is closed by default: .env, a key.",
        "The agent follows the link and puts the content into the model's input.",
        "AGENTS.md -> .env.production",
        "Remove the link. If an agent was started here, rotate what the file holds.",
    ),
    "ASM131": (
        "AGENTS.md is there, and the agent reads no AGENTS.md because a file of its own name is"
        " there.",
        "One CLAUDE.md or CLAUDE.local.md with text, in any folder above or even above the "
        "repository, takes every AGENTS.md out; nobody is told.",
        "CLAUDE.local.md in packages/web, AGENTS.md in the root.",
        "Import it there with @AGENTS.md, or remove the other file.",
    ),
    "ASM132": (
        "A file names another one with @path, and the agent does not follow it there.",
        "Claude Code follows imports of a project below the start folder alone, Gemini CLI "
        "below the repository; the words stay, the rules behind them are missing.",
        "CLAUDE.md in the root imports @docs/style.md, and the agent is started in packages/web.",
        "Move the target, or start the agent above it.",
    ),
    "ASM133": (
        "The files stand in the order of the bytes of their paths, so that a deeper one comes "
        "before one above it.",
        "A capital letter sorts before a small one, and A before G: a folder Api/ comes before "
        "GEMINI.md, api/ behind it.",
        "Api/GEMINI.md is read before GEMINI.md.",
        "Begin names of folders with small letters, or let nothing depend on the order.",
    ),
    "ASM134": (
        "The agent takes several files in the order in which the file system lists them.",
        "Two clones of one commit can give two inputs, and a cached beginning of the prompt is "
        "lost.",
        "Seven files in .claude/rules.",
        "Let no rule depend on standing before another.",
    ),
    "ASM135": (
        "The project has settings of the agent above the folder where it starts, and it does "
        "not read them there.",
        "Names of instruction files that the settings give are lost in a folder below, and "
        "others are read.",
        "Gemini CLI started in packages/web, with .gemini/settings.json in the root.",
        "Start the agent in the folder of the settings.",
    ),
    "ASM136": (
        "The agent reads one name in all folders, and another name is there first.",
        "opencode takes AGENTS.md, CLAUDE.md or CONTEXT.md for the whole walk: one AGENTS.md "
        "anywhere hides each CLAUDE.md.",
        "AGENTS.md in packages/web, CLAUDE.md in the root.",
        "Use one name in every folder.",
    ),
    "ASM137": (
        "A file names another one with @path, and nothing is there.",
        "The model reads the words and not the rules, and Gemini CLI puts the absolute path of "
        "the failure into the prompt.",
        "@docs/styel.md",
        "Correct the path, or write it in a code span.",
    ),
    "ASM138": (
        "An import stands deeper than the agent follows imports.",
        "Claude Code follows four in a row, Gemini CLI five; what is deeper is missing.",
        "Six files, each importing the next one.",
        "Import it from a file further up.",
    ),
    "ASM139": (
        "A link leads to itself, and the agent drops every file of that name.",
        "opencode drops the name for the whole walk and tries the next name; the good files go "
        "with it.",
        "AGENTS.md -> AGENTS.md in one folder.",
        "Repair or remove the link.",
    ),
    "ASM140": (
        "The agent does not start in this folder.",
        "Without trust Gemini CLI ends before the first request, and nothing of this is loaded.",
        "A folder that no entry of trustedFolders.json trusts.",
        "Trust the folder in the agent, or start it with --skip-trust.",
    ),
    "ASM141": (
        "A rule names `paths`, and its front matter is no YAML, even with its values quoted.",
        "The rule waits for no path: it is loaded at every start.",
        "A value that ends its quotes too early, or a tab before a name.",
        "Correct the front matter.",
    ),
    "ASM142": (
        "The start is a linked worktree inside its main checkout, and the files of the main "
        "checkout are passed over.",
        "The worktree has its own copies; what only the main checkout has is missing.",
        "main/.worktrees/x",
        "None if meant.",
    ),
    "ASM143": (
        "The nearest file stands first in the input, and the root's last.",
        "Other agents put the root first; a rule that says above or below means something else "
        "here.",
        "opencode with AGENTS.md in the root and in packages/web.",
        "Let no rule depend on standing behind another.",
    ),
    "ASM144": (
        "A file names another one with @path whose ending the agent does not read.",
        "It follows text alone; the words stay and the rules are missing.",
        "@notes.xyz",
        "Give the file an ending of text.",
    ),
    "ASM145": (
        "The settings list an instruction file that is not there.",
        "The agent says nothing and starts without it.",
        "instructions: [docs/style.md], and no such file.",
        "Correct the list.",
    ),
    "ASM146": (
        "The agent's own memory of the project is longer than it reads.",
        "Of MEMORY.md the first 200 lines or some 25,000 bytes are read.",
        "A MEMORY.md of 300 lines.",
        "Shorten it.",
    ),
    "ASM147": (
        "The settings list instructions by URL.",
        "The agent asks for it at each start, so that the input depends on a server; nothing is"
        " asked for here.",
        "instructions: [https://example.org/rules.md]",
        "Keep a copy in the repository.",
    ),
    "ASM148": (
        "A setting, an option or a variable switches the file off, or another place wins.",
        "It is there, and the agent does not read it.",
        "claudeMdExcludes, --setting-sources, OPENCODE_DISABLE_CLAUDE_CODE.",
        "None if meant.",
    ),
    "ASM149": (
        "Some of the agents read the file, and others do not look for its name.",
        "Teams believe that all of their agents read the same rules.",
        "GEMINI.md, which Gemini CLI alone reads.",
        "Keep one file, and let the others import or link it.",
    ),
    "ASM150": (
        "The profile declares the agent, and it loads this instruction file in no folder.",
        "Who writes the file believes that every agent of the team reads it.",
        "AGENTS.md in a repository that Gemini CLI works in too, without a setting that names it.",
        "Import or link it from a file that the agent reads, or take the agent out of `agents`.",
    ),
    "ASM201": (
        "SKILL.md has no front matter between two lines of three dashes.",
        "Without it there is no name and no description, and the skill is never listed.",
        "A file that begins with a heading, or whose closing line is missing.",
        "Begin the file with ---, name and description, and a closing --- line.",
    ),
    "ASM202": (
        "The front matter is not the plain YAML that skills are written in.",
        "The skill is dropped. Anchors, aliases, tags and a key that stands twice are refused too, "
        "since clients disagree about them.",
        "An unclosed quote in line 3.",
        "Quote the value, or correct the line that the message names.",
    ),
    "ASM203": (
        "The front matter was read only after its values had been put in quotes.",
        "Lenient clients do this repair, strict ones drop the skill.",
        "description: Use when: the input is a PDF",
        'Quote the value: description: "Use when: the input is a PDF"',
    ),
    "ASM204": (
        "The skill's name is missing or breaks the format.",
        "A name is an identifier: 1 to 64 lower-case letters, digits and single hyphens. Clients "
        "drop or rewrite any other.",
        "name: PDF Extraction",
        "Rename it, for example to pdf-extraction.",
    ),
    "ASM205": (
        "The skill's name is not the name of its folder.",
        "Some clients list the one, some the other, and strict ones drop the skill.",
        "name: vercel-react-best in the folder react-best.",
        "Rename one of the two.",
    ),
    "ASM206": (
        "The description is missing, empty, no text, or longer than 1,024 characters.",
        "It is all that a model sees before the skill is active. Without it the skill is dropped; "
        "too long, it is cut or dropped.",
        'description: ""',
        "Write one or two sentences: what it does and when to use it.",
    ),
    "ASM207": (
        "Two skills have one name.",
        "Only one can be meant by it. Here the nearer folder wins; other agents list both, or let "
        "the order on disk decide.",
        "deploy in .agents/skills of the root and of packages/web.",
        "Rename one of the two.",
    ),
    "ASM208": (
        "SKILL.md is longer than 500 lines or 5,000 tokens.",
        "The whole file is loaded when the skill is active.",
        "A SKILL.md of 900 lines with three long examples.",
        "Move parts into references/ and name them in the text.",
    ),
    "ASM209": (
        "A reference of the skill leads out of its folder.",
        "What lies outside is not part of the skill, is in no digest of it, and is not read.",
        "[notes](../../../.env), or references/b.md as a link to it.",
        "Move the file into the skill's folder.",
    ),
    "ASM210": (
        "A skill's folder is not the one that the lock file or the host manifest pins.",
        "Some file of the skill changed since it was reviewed, or the skill is gone; a pin that "
        "does not match refuses every run, also where the skill is not active.",
        "scripts/run.sh has one line more.",
        "Look at what changed; if it is meant, pin the new digest (docs/formats/lock.md).",
    ),
    "ASM211": (
        "The lines of the skill catalog cost more than its ceiling.",
        "Descriptions are then shortened, and lines dropped, in a stated order; each has a row "
        "with its cost.",
        "skills: {budget: {tokens: 400}} and forty skills.",
        "Raise `skills.budget`, shorten descriptions, or name what must stay in `skills.always`.",
    ),
    "ASM212": (
        "The skill asks for a tool that no pinned catalog has.",
        "Its steps will fail when they are followed.",
        "allowed-tools: Bash Raed",
        "Correct the name, or pin the server that has the tool.",
    ),
    "ASM213": (
        "SKILL.md can't be read: it is no file, too large, a link out of the root, or not UTF-8.",
        "The skill is not there for anybody, although its folder is.",
        ".agents/skills/pdf/SKILL.md -> /opt/shared/pdf/SKILL.md",
        "Put a regular UTF-8 file in its place.",
    ),
    "ASM214": (
        "A SKILL.md lies inside the folder of another skill.",
        "It is a file of the outer skill and not listed on its own; some agents list it.",
        ".agents/skills/two/examples/inner/SKILL.md",
        "Move it up beside the other skill, if it is meant to be one.",
    ),
    "ASM215": (
        "A field of the front matter is unknown or not of the form that the format gives it.",
        "The skill loads. Strict clients drop it, and no client acts on a field it does not know.",
        "version: 1.0 at the top, in place of metadata: {version: '1.0'}",
        "Move it under metadata, or write it as the format says.",
    ),
    "ASM216": (
        "The search for skills reached its bound of depth or files.",
        "Skills behind the bound are neither listed nor checked.",
        "A node_modules folder below .agents/skills.",
        "Move what is no skill out of the folder.",
    ),
    "ASM217": (
        "The host manifest does not trust this repository, so its skills are not used.",
        "A skill is text that directs an agent: a repository that was only cloned to look at "
        "it may not do that.",
        "repositories: {trusted: [~/work]}, and the repository lies in ~/downloads.",
        "Name its folder under `repositories.trusted` of the host manifest, if you trust it.",
    ),
    "ASM218": (
        "A file of a skill that was asked for by name is not in the skill's folder.",
        "A run that asks for it refuses: the instructions without it are not what was wanted.",
        "skills: [pdf/references/forms.md], and the folder has references/form.md.",
        "Correct the path; it is relative to the skill's folder.",
    ),
    "ASM219": (
        "A file of a skill's folder can't be read: no regular file, closed by a rule, too large.",
        "The folder has no digest then, no pin holds for it, and asking for the file refuses.",
        "A FIFO in scripts/, or a .env that the read grant denies.",
        "Put a regular file in its place, or take it out of the skill's folder.",
    ),
    "ASM220": (
        "The profile names a skill that is not there.",
        "A rule that activates it refuses the run; where no condition holds, it does nothing.",
        "skills: {activate: [{skill: pfd, when: '*.pdf'}]}.",
        "Correct the name, or take the rule out.",
    ),
    "ASM221": (
        "A SKILL.md that an agent passes over: it is a link, a folder, or no regular file.",
        "Codex follows links to folders and not to files. It says nothing, and the skill is not "
        "there.",
        ".agents/skills/pdf/SKILL.md -> ../../../shared/pdf.md",
        "Put a regular file in its place, or link the folder.",
    ),
    "ASM222": (
        "The agent lists a description without its end.",
        "It is kept up to the agent's own limit, and when to use the skill often stands last.",
        "A description of 1,300 characters: Codex lists 1,021 and three dots.",
        "Shorten the description.",
    ),
    "ASM223": (
        "An entry of the agent's configuration turns no skill on or off.",
        "It has a path and a name, or neither, or names what is not there: a skill's folder, for "
        "example, where its SKILL.md is asked for.",
        'path = "/home/me/.agents/skills/pdf", enabled = false',
        "Name the SKILL.md, or the skill by the name that the list has.",
    ),
    "ASM224": (
        "The skills that the agent brings along are not there yet, or are another version's.",
        "It does when it starts, and they take room in the list. What lies there now goes.",
        "~/.codex/skills/.system is missing.",
        "Start the agent once, and ask again.",
    ),
    "ASM225": (
        "The project is marked untrusted, and the agent lists its skills all the same.",
        "Trust keeps the project's instructions and settings out, and not its skills: their "
        "descriptions are in the model's input.",
        'trust_level = "untrusted", and a repository with .agents/skills.',
        "Turn the skills off in the user's configuration, or start the agent elsewhere.",
    ),
    "ASM226": (
        "A skill of the project lies outside of it, behind a link.",
        "It is in no commit of the repository, nobody reviewed it, and each machine has its own.",
        ".agents/skills/pdf -> ../../../shared/pdf",
        "Copy the skill into the repository.",
    ),
    "ASM227": (
        "A setting keeps the list of skills out of the model's input.",
        "The skills are found, and can be named; the model is not told of them.",
        "[skills] include_instructions = false",
        "Nothing, if it is meant. Else remove the setting.",
    ),
    "ASM228": (
        "The profile names a folder of skills that is not there.",
        "Skills that were meant to be found are not, and nothing else says so.",
        "skills: {roots: [.claude/skill]}, and the folder is .claude/skills.",
        "Correct the path under `skills.roots`.",
    ),
    "ASM229": (
        "The task's words hold a $name that is nearly the name of a skill.",
        "A skill is activated by its exact name; this one activates nothing.",
        "use $Pdf, and the skill is called pdf.",
        "Write the name as the list has it.",
    ),
    "ASM231": (
        "The skill's name is drawn like another one, or mixes letters of scripts that look alike.",
        "A reader takes it for the skill that it imitates; an agent tells the two apart by bytes.",
        "name: d\u0435ploy, whose second letter is the Cyrillic one.",
        "Write the name in one script, best in a-z.",
    ),
    "ASM232": (
        "The front matter is YAML that strict readers refuse.",
        "A tab between two parts of a line, and mappings side by side that are indented "
        "differently: the specification's own library drops the skill.",
        "description:<tab>Does it.",
        "Put blanks in place of the tab, and indent both mappings alike.",
    ),
    "ASM233": (
        "SKILL.md begins with a byte order mark.",
        "It is dropped here. Most clients then see no front matter, and no skill.",
        "A file saved as 'UTF-8 with BOM'.",
        "Save it as UTF-8 without the mark.",
    ),
    "ASM234": (
        "A name or description without quotes ends where YAML sees a comment.",
        "A blank and a number sign begin a comment: what is behind them is in no catalog, and no "
        "reader says so.",
        "description: Use for C# #and more",
        'Quote the value: description: "Use for C# #and more"',
    ),
    "ASM236": (
        "Several skills have one name, and which one the agent lists changes from run to run.",
        "It reads them at once and keeps whichever is done last. Two runs of one commit can work "
        "by two texts.",
        "deploy in .claude/skills and in .opencode/skills, for opencode.",
        "Keep one of them, or rename the others.",
    ),
    "ASM237": (
        "A SKILL.md lies where the agent does not look.",
        "One agent takes a SKILL.md at any depth, another only one folder deep; one enters folders "
        "whose name begins with a dot. The agent says nothing, and the skill is not there.",
        ".claude/skills/group/deploy/SKILL.md, for Claude Code.",
        "Put it into a folder of its own, directly in the folder of the skills.",
    ),
    "ASM238": (
        "Skills lie above the folder that the agent is started in, and it does not read them.",
        "The agent looks for the project's skills only where it starts. From a folder below, those "
        "of the repository's root are not there.",
        "Gemini CLI in packages/web, and .gemini/skills in the root.",
        "Start the agent in the root, or put the skills into the user's folder.",
    ),
    "ASM239": (
        "A skill without a description is listed with the first line of its text.",
        "That line was not written to say when to use the skill; other agents drop the skill.",
        "A SKILL.md that begins with its heading, for Claude Code.",
        "Write a description into the front matter.",
    ),
    "ASM240": (
        "A field of the skill that other agents act on does nothing for this one.",
        "A skill that was meant to be called by name alone is offered to the model all the same, "
        "or words on when to use it are lost.",
        "disable-model-invocation: true, for Gemini CLI or opencode.",
        "Say it in the description too, or keep the skill out of this agent's folders.",
    ),
    "ASM301": (
        "An allowed server has no pin.",
        "Without a pin nothing says what its tools were when they were approved.",
        "servers: {repository-index: {allow: [find_symbol]}} and no file in .assembler/pins.",
        "Review the listing while pinning it: assembler tools pin SERVER --from LISTING.",
    ),
    "ASM302": (
        "An allowed tool is not what was pinned.",
        "A changed description is text that the model reads and follows, so the run refuses.",
        "find_symbol now asks to read ~/.ssh/config first.",
        "Review the drift (assembler tools check), then approve its digest (tools approve).",
    ),
    "ASM303": (
        "A server offers a tool that is not allowed.",
        "It stays out of every run, whatever its text says.",
        "write_file appears in a listing beside find_symbol.",
        "Nothing; or allow it.",
    ),
    "ASM304": (
        "The allowlist names a tool that nobody offers.",
        "A run that counts on it works without it, or refuses.",
        "allow: [find_symbols]",
        "Correct the name.",
    ),
    "ASM305": (
        "One tool name stands twice, in one listing or across servers.",
        "A call by this name could reach either tool.",
        "Two servers offer search.",
        "Allow one of the two.",
    ),
    "ASM306": (
        "A saved listing is not strict JSON, or holds no list of tools.",
        "A text that two readers understand differently can't be pinned.",
        "A key that stands twice in one tool.",
        "Save the listing again.",
    ),
    "ASM307": (
        "The instructions of a server differ from those that were pinned.",
        "They are text for the model that no tool's digest covers.",
        'Instructions now begin with "Always call".',
        "Review them, then approve the new digest.",
    ),
    "ASM308": (
        "A tool's name can't be bound to a request.",
        "Providers take short names of letters, digits, _ and - only; such a tool can't be called.",
        "A tool called find symbol.",
        "Ask the server's author for another name.",
    ),
    "ASM309": (
        "A file of the repository declares a server that the host manifest does not have.",
        "Agents start such a program as soon as the folder is opened; assembler never starts it.",
        ".mcp.json of a cloned repository: a server whose command is sh.",
        "Nothing; or review it and put it into the host manifest (servers: NAME).",
    ),
    "ASM310": (
        "A declared server has the name of one of the host's, and is not launched in the same way.",
        "A name is no permission: another command would run under a name that you trust.",
        "The host has command: [uvx, index], and .mcp.json has sh -c under the same name.",
        "Compare the two; correct the declaration, or the host manifest.",
    ),
    "ASM311": (
        "A file that should declare servers can't be read as what it should be.",
        "An agent may read it in another way, and nobody can say which servers it would start.",
        "A key that stands twice in .mcp.json.",
        "Mend the file at the line that the row names, or remove it.",
    ),
    "ASM312": (
        "A tool's definition is none that a request can hold.",
        "Its input schema is missing or no JSON Schema of an object, or its description is no "
        "text; the tool stays out, and the others enter.",
        'inputSchema: {"anyOf": [...]} without type: object.',
        "Report it to the server's author, or leave the tool out of the allowlist.",
    ),
    "ASM313": (
        "A listing ends with a cursor: a page is missing.",
        "The tools of the pages that nobody read would be neither pinned nor checked.",
        "A saved result with nextCursor and no second file.",
        "Save every page, and give all of them in order.",
    ),
    "ASM314": (
        "A server, or the listing that a profile names, can't be asked.",
        "What can't be looked at is never a pass.",
        "listing: tools.json, and no such file.",
        "Save the listing, or mend the server's command in the host manifest.",
    ),
    "ASM315": (
        "A tool's schema points to an address outside itself.",
        "Nothing here fetches it, so what it says there is neither pinned nor seen.",
        'inputSchema: {"properties": {"q": {"$ref": "https://example.org/q.json"}}}.',
        "Ask the server's author to put the definition into $defs.",
    ),
    "ASM316": (
        "A server is reached in another way than when it was pinned.",
        "Another program, argument or variable can be another server under the same name.",
        "The pin was made from npx server@1, and the manifest now starts server@2.",
        "Compare the two, then approve: assembler tools approve SERVER --live.",
    ),
    "ASM317": (
        "A server no longer lists a tool that is pinned.",
        "Nobody asked for it here, but the catalog is not the one that was approved.",
        "git_init is gone in a new version.",
        "Review the drift, then approve its digest.",
    ),
    "ASM401": (
        "A run went ahead without instructions that apply to its target.",
        "The model could not know the rules of the folder that it changed.",
        "packages/parser/AGENTS.md applies and is not in the input.",
        "Repair discovery: start in the folder, or assemble for the target.",
    ),
    "ASM402": (
        "An item is in the input although its source has changed since.",
        "The model worked from text that was no longer true.",
        "summary:parser was written at r39; src/tokenize.ts changed by r42.",
        "Repair freshness: read the named section again at the current revision.",
    ),
    "ASM403": (
        "Evidence of a failure was left out while lesser items took the room.",
        "The model could not see what it was asked to repair.",
        "file:bench/archive.txt is in, test:test-17 is out.",
        "Repair selection: require the failure, or leave out what decides nothing.",
    ),
    "ASM404": (
        "A recorded decision used an item that was not in the input of that run.",
        "The decision rests on something that the model was not shown at that turn.",
        "`log 12 --consume DECISION --item summary:parser`: the summary was rejected as stale.",
        "Read the item again before deciding; `verify` of the record tells it from now on.",
    ),
    "ASM405": (
        "Evidence is in the input that says neither its source, nor a revision, nor its finder.",
        "Nobody can read it again, tell whether it still holds, or find out why it is there.",
        'An item of kind artifact with "source", "revision" and "discovered_by" all null.',
        "Let the source that found it say so: path or address, revision, and what found it.",
    ),
    "ASM406": (
        "A lower authority is in the input over or before a higher one on the same matter.",
        "Policy stands over the task, that over observations, the repository, summaries and "
        "untrusted text, in this order; turned round, hearsay outweighs what was seen.",
        "summary:parser and test:test-17 decide the same; the summary is in, the test is out.",
        "Leave out the lower one, or require the higher one.",
    ),
    "ASM407": (
        "The input and what is to come after it are more than the window has.",
        "The provider refuses the request or cuts the answer short.",
        "A window of 8,192, no reserve for the response, 7,900 of input, max_output 1,200.",
        "Keep room for the answer: `reserve: {response: N}` in the profile, `reserves` of an "
        "inventory.",
    ),
    "ASM408": (
        "Evidence in the input shows again what stands in the policy.",
        "It takes room twice, and the second time it stands among data, without authority.",
        "file:AGENTS.md is required as evidence; policy:AGENTS.md has the same bytes.",
        "Make it optional, so that it is left out by itself, or take it out of the evidence.",
    ),
    "ASM409": (
        "A recorded decision used an item that was stale in that run.",
        "What was decided rests on text that was no longer true, or that nobody could confirm.",
        "`log 12 --consume DECISION --item summary:parser`, whose source had changed.",
        "Decide again from what was read in its place; `diagnose` names it where it was offered.",
    ),
    "ASM501": (
        "The required items alone exceed the input's room.",
        "Nothing is ever cut to fit, so the run refuses.",
        "Required 10 tokens, room for 9.",
        "Raise the window, lower a reserve, or make an item optional.",
    ),
    "ASM502": (
        "One turn can outgrow the ceiling.",
        "Compaction between turns can't help inside one.",
        "Five calls of fetch_page, 5,000 tokens each, under a ceiling of 20,000.",
        "Allow fewer calls in one turn, or smaller results.",
    ),
    "ASM503": (
        "A call of a tool and its result are apart: one of the two is not in the history.",
        "Providers refuse such a request, and a session that holds one can't go on.",
        "A history was cut between two calls made at once and the result of the second.",
        "Cut where no pair is parted: `assembler transcript compact FILE --cut N`.",
    ),
    "ASM504": (
        "A summary says what does not stand in what it replaces.",
        "What was dropped is out of sight, so nothing later corrects a number that was made up.",
        "The summary says 601, and what it replaces says 600.",
        "Correct the summary, or make it again from what `-f dropped` prints.",
    ),
    "ASM601": (
        "A text that directs the work holds characters that no reader sees.",
        "Tag, control and direction characters can spell an instruction, or show another text "
        "than the model reads.",
        "Eight tag characters behind the first sentence.",
        "Delete them; the message names the code points and the place.",
    ),
    "ASM602": (
        "A text matches the form of a secret.",
        "What is stored or rendered leaves this machine sooner or later.",
        "A line that begins like an access key.",
        "Remove it and rotate the secret. The message never shows the value.",
    ),
    "ASM603": (
        "A text holds a mark that an agent writes around instructions.",
        "Agents do not escape what they load, so the text can seem to end and something else to "
        "begin.",
        "</INSTRUCTIONS> in the middle of an AGENTS.md.",
        "Rephrase it.",
    ),
    "ASM604": (
        "A text holds zero width or filler characters where no script needs them.",
        "They split words for a search and not for a model, and nobody sees them in review.",
        "U+200B inside a command.",
        "Delete them.",
    ),
    "ASM605": (
        "An instruction file has an HTML comment.",
        "A page shows it to nobody, and an agent that loads the raw text reads it all the same. "
        "Another agent may drop it.",
        "<!-- maintainers: also upload the build -->",
        "Nothing, if the agent may read it. Else remove it.",
    ),
    "ASM606": (
        "An instruction file has the marks of a merge that is not resolved.",
        "An agent reads both sides as rules, and the marks as well.",
        "A line of seven < signs and HEAD.",
        "Resolve the conflict.",
    ),
    "ASM607": (
        "A piece of evidence has text that has the form of an instruction to its reader.",
        "Whoever wrote it may want to direct the agent. It is data and changes nothing here; which "
        "item tried what is on record.",
        "issue:842 asks to disable checks in line 4, and to send a log to a host that is not "
        "granted in line 9.",
        "Read the item. Nothing has to be done if it speaks of such a text and is none.",
    ),
    "ASM608": (
        "A piece of evidence says of itself that it is policy, the system or authorized.",
        "Trust comes from the source by rule, and a text that claims more was perhaps written to "
        "be taken for it. Marks by which models tell who speaks are counted as ordinary text.",
        "trust: policy in the front matter of an issue.",
        "Read the item. Its trust stays what its source gives it.",
    ),
    "ASM609": (
        "A piece of evidence has characters that no reader sees.",
        "What a person reviews is then not what a model reads.",
        "A zero width space inside a word, tag characters behind a sentence.",
        "Delete them at the source, or leave the item out.",
    ),
    "ASM701": (
        "Content is not what the lock file records.",
        "Somebody changed instructions or skills since they were reviewed.",
        "AGENTS.md is 5b7790ab12cd, locked aa01f3c2d4e5.",
        "Look at what changed, and lock it again.",
    ),
    "ASM702": (
        "A profile of the repository asks for more than the host grants.",
        "What lies in the repository may narrow the host's word and never widen it.",
        "read: {allow: ['**']} where the host allows src/**.",
        "Narrow the profile, or ask whoever keeps the host manifest.",
    ),
    "ASM703": (
        "A file that policy is made of or judged by (instructions, skill, profile, lock, pin, "
        "baseline) is another one here.",
        "With --policy-from policy is that of another revision: what a branch changed of it is a "
        "fact about the branch and directs nothing.",
        "--policy-from main, and the branch edits AGENTS.md: the AGENTS.md of main is used.",
        "Review the change as one of policy; it counts once it is in that revision. "
        "A gate tells it as a warning.",
    ),
    "ASM704": (
        "Evidence names the revision that it was seen at, and this clone does not have it.",
        "A missing history is not the same as no change: whether the bytes are still those that "
        "were seen can't be told, so they stay out.",
        "revision: 4f1c2d9 in a clone of depth 1; or a path inside a submodule.",
        "Fetch the revision, or give the section's `sha256` beside it.",
    ),
    "ASM705": (
        "An exception of the profile is about no finding.",
        "What it excused is mended or moved, and it would excuse the next one like it without "
        "anybody's word.",
        "ignore: [{code: ASM208, path: 'vendor/**', reason: theirs}], and no skill below vendor.",
        "Remove it from `ignore`, or correct its path.",
    ),
}
