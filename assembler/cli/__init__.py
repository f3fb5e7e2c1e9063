"""One file a command: parse, call one function, print, exit code. The only home of click."""
