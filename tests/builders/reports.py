"""Test reports in the forms that real runners give, with the lines that one case must give.

In a sample a line that begins with `+` belongs to the case, one that begins with a blank does not.
"""

# Samples have the tabs, blanks, marks and lengths of lines that the runners give them.
# ruff: noqa: E101, E501, RUF001, W291

from __future__ import annotations

from typing import NamedTuple

from assembler.model.report import LineRange


class Sample(NamedTuple):
    dialect: str
    case: str
    outcome: str
    data: bytes
    wanted: bytes


def sample(dialect: str, case: str, outcome: str, marked: str) -> Sample:
    lines = marked.removeprefix("\n").splitlines(keepends=True)
    assert all(line[0] in "+ " or line == "\n" for line in lines)
    plain = [line[1:] if line != "\n" else line for line in lines]
    wanted = [text for text, line in zip(plain, lines, strict=True) if line[0] == "+"]
    return Sample(dialect, case, outcome, "".join(plain).encode(), "".join(wanted).encode())


def addressed(data: bytes, ranges: tuple[LineRange, ...]) -> bytes:
    """The lines of an address, told in the plainest way."""
    lines = data.split(b"\n")
    ended = [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    return b"".join(b"".join(ended[first - 1 : last]) for first, last in ranges)


PYTEST_XML = sample("JUnit XML", "test_a.TestA.test_bad", "failed", """
+<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" errors="0" failures="1" skipped="1" tests="3"><testcase classname="test_a.TestA" name="test_bad" time="0.000"><failure message="AssertionError: 1 != 2">self = &lt;test_a.TestA testMethod=test_bad&gt;
+
+&gt;       self.assertEqual(1, 2)
+E       AssertionError: 1 != 2
+
+test_a.py:7: AssertionError</failure></testcase><testcase classname="test_a.TestA" name="test_good" time="0.000" /><testcase classname="test_a.TestA" name="test_off"><skipped type="pytest.skip" message="why">/x/test_a.py:12: why</skipped></testcase></testsuite></testsuites>
""")  # fmt: skip

JEST_XML = sample("JUnit XML", "outer fails", "failed", """
 <?xml version="1.0" encoding="UTF-8"?>
 <testsuites name="jest tests" tests="2" failures="1" errors="0" time="0.146">
   <testsuite name="outer" errors="0" failures="1" skipped="0" tests="2">
     <testcase classname="outer passes" name="outer passes" time="0.001">
     </testcase>
+    <testcase classname="outer fails" name="outer fails" time="0.002">
+      <failure>Error: expect(received).toBe(expected) // Object.is equality
+
+Expected: 2
+Received: 1
+    at new Promise (&lt;anonymous&gt;)</failure>
+    </testcase>
   </testsuite>
 </testsuites>
""")  # fmt: skip

NODE_XML = sample("JUnit XML", "fails # hard", "failed", """
 <?xml version="1.0" encoding="utf-8"?>
 <testsuites>
 	<testsuite name="outer" time="0.001919" disabled="0" errors="0" tests="3" failures="1">
 		<testcase name="passes" time="0.000417" classname="test"/>
+		<testcase name="fails # hard" time="0.000614" classname="test" failure="1 == 2">
+			<failure type="testCodeFailure" message="1 == 2">
+Error [ERR_TEST_FAILURE]: 1 == 2 {
+  code: 'ERR_TEST_FAILURE'
+}
+			</failure>
+		</testcase>
 	</testsuite>
 	<testcase name="todo" time="0.000056" classname="test" failure="t">
 		<skipped type="todo" message="true"/>
 		<failure type="testCodeFailure" message="t">t</failure>
 	</testcase>
 	<!-- tests 6 -->
 </testsuites>
""")  # fmt: skip

SUREFIRE_XML = sample("JUnit XML", "org.example.ParserTest#errs", "error", """
 <?xml version="1.0" encoding="UTF-8"?>
 <testsuite xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="https://maven.apache.org/surefire/maven-surefire-plugin/xsd/surefire-test-report.xsd" version="3.0" name="org.example.ParserTest" time="0.05" tests="3" errors="1" skipped="0" failures="1">
   <properties>
     <property name="java.version" value="17"/>
   </properties>
   <testcase name="fails" classname="org.example.ParserTest" time="0.01">
     <failure message="expected: &lt;1&gt; but was: &lt;2&gt;" type="org.opentest4j.AssertionFailedError"><![CDATA[org.opentest4j.AssertionFailedError: expected: <1> but was: <2>
 	at org.example.ParserTest.fails(ParserTest.java:9)
 ]]></failure>
     <system-out><![CDATA[<testcase name="errs"> in the output of another
 ]]></system-out>
   </testcase>
+  <testcase name="errs" classname="org.example.ParserTest" time="0.001"
+            >
+    <error message="boom" type="java.lang.RuntimeException"><![CDATA[java.lang.RuntimeException: boom ></testcase>
+	at org.example.ParserTest.errs(ParserTest.java:14)
+]]></error>
+    <system-err>talk</system-err>
+  </testcase
+  >
   <testcase name="flaky" classname="org.example.ParserTest" time="0.001">
     <flakyFailure message="once" type="x"><stackTrace>once</stackTrace></flakyFailure>
   </testcase>
 </testsuite>
""")  # fmt: skip

GOTESTSUM_XML = sample("JUnit XML", "example.com/parser/TestSplit/escaped", "failed", """
 <?xml version="1.0" encoding="UTF-8"?>
 <testsuites tests="2" failures="2" errors="0" time="0.004">
 	<testsuite tests="2" failures="2" time="0.002000" name="example.com/parser" timestamp="2026-09-14T09:12:00Z">
 		<properties>
 			<property name="go.version" value="go1.22.1 linux/amd64"></property>
 		</properties>
+		<testcase classname="example.com/parser" name="TestSplit/escaped" time="0.000000">
+			<failure message="Failed" type="">=== RUN   TestSplit/escaped&#xA;    split_test.go:12: got 1&#xA;--- FAIL: TestSplit/escaped (0.00s)&#xA;</failure>
+		</testcase>
 		<testcase classname="example.com/parser" name="TestSplit" time="0.000000">
 			<failure message="Failed" type="">--- FAIL: TestSplit (0.00s)&#xA;</failure>
 		</testcase>
 	</testsuite>
 </testsuites>
""")  # fmt: skip

PHPUNIT_XML = sample("JUnit XML", r"App\ParserTest::testSplit with data set #1", "failed", """
 <?xml version="1.0" encoding="UTF-8"?>
 <testsuites>
   <testsuite name="" tests="2" assertions="2" errors="0" failures="1" skipped="0" time="0.004">
     <testsuite name="App\\ParserTest" file="/app/tests/ParserTest.php" tests="2" failures="1">
       <testsuite name="App\\ParserTest::testSplit" tests="2" failures="1">
         <testcase name="testSplit with data set #0" class="App\\ParserTest" classname="App.ParserTest" file="/app/tests/ParserTest.php" line="9" assertions="1" time="0.001"/>
+        <testcase name="testSplit with data set #1" class="App\\ParserTest" classname="App.ParserTest" file="/app/tests/ParserTest.php" line="9" assertions="1" time="0.001">
+          <failure type="PHPUnit\\Framework\\ExpectationFailedException">App\\ParserTest::testSplit with data set #1 ('a')
+Failed asserting that 1 matches expected 2.</failure>
+        </testcase>
       </testsuite>
     </testsuite>
   </testsuite>
 </testsuites>
""")  # fmt: skip

DOTNET_XML = sample("JUnit XML", "Parser.Tests.SplitTests.Keeps(text: \"a,b\")", "failed", """
 <?xml version="1.0" encoding="utf-8"?>
 <testsuites>
   <testsuite name="Parser.Tests.dll" tests="2" skipped="1" failures="1" errors="0" time="0.1" timestamp="2026-09-14T09:12:00" hostname="ci" id="0" package="Parser.Tests.dll">
     <properties />
     <testcase classname="Parser.Tests.SplitTests" name="Off" time="0.0000000">
       <skipped />
     </testcase>
+    <testcase classname="Parser.Tests.SplitTests" name="Keeps(text: &quot;a,b&quot;)" time="0.0120000">
+      <failure type="failure" message="Assert.Equal() Failure">   at Parser.Tests.SplitTests.Keeps(String text) in /src/SplitTests.cs:line 12</failure>
+    </testcase>
     <system-out>Test Framework Informational Messages:
 </system-out>
   </testsuite>
 </testsuites>
""")  # fmt: skip

NODE_TAP = sample("TAP 13", "outer > fails # hard", "failed", """
 TAP version 13
 # Subtest: outer
     # Subtest: passes
     ok 1 - passes
       ---
       duration_ms: 0.59
       ...
+    # Subtest: fails \\# hard
+    not ok 2 - fails \\# hard
+      ---
+      location: '/x/a.test.mjs:2:51'
+      error: |-
+        boom
+
+        not ok 3 - in the message
+      ...
     1..2
 not ok 1 - outer
   ---
   error: '1 subtest failed'
   ...
 # Subtest: todo
 not ok 2 - todo # TODO later
   ---
   error: 't'
   ...
 1..2
 # tests 3
""")  # fmt: skip

PERL_TAP = sample("TAP", "keeps empty fields", "failed", """
 1..3
 ok 1 - splits
+not ok 2 - keeps empty fields
+#   Failed test 'keeps empty fields'
+#   at t/split.t line 9.
+#          got: '1'
+#     expected: '2'
 ok 3 # skip no network
 # Looks like you failed 1 test of 3.
""")  # fmt: skip

TAPE_TAP = sample("TAP 13", "should be strictly equal", "failed", """
 TAP version 13
 # first
 ok 1 should be truthy
 # second
+not ok 2 should be strictly equal
+  ---
+    operator: equal
+    expected: 2
+    actual:   1
+  ...
 # third
 ok 3 should be falsy

 1..3
 # tests 3
 # pass  2
 # fail  1
""")  # fmt: skip

TAP_14 = sample("TAP 14", "outer", "failed", """
 TAP version 14
 1..2
 ok 1 - before
+# Subtest: outer
+    1..2
+    ok 1 - inner
+    not ok 2 - other
+not ok 2 - outer
""".replace("+    1..2\n", "     1..2\n"))  # fmt: skip

PYTEST_TEXT = sample("pytest output", "tests/test_a.py::TestA::test_bad", "failed", """
 ============================= test session starts ==============================
 collected 3 items

 tests/test_a.py F.F                                                      [100%]

 ==================================== ERRORS ====================================
 _________________________ ERROR at setup of test_setup _________________________

     @pytest.fixture
 >   def broken(): raise RuntimeError("setup")
 E   RuntimeError: setup

 tests/test_a.py:18: RuntimeError
 =================================== FAILURES ===================================
+________________________________ TestA.test_bad ________________________________
+
+self = <test_a.TestA testMethod=test_bad>
+
+>       outer()
+
+tests/test_a.py:7: 
+_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _
+
+E       AssertionError: 1 != 2
+
+src/outer.py:2: AssertionError
+----------------------------- Captured stdout call -----------------------------
+=== a title of its own ===
 ____________________________ test_bad[x.y - a::b] ______________________________

 >   assert False
 E   assert False

 tests/test_b.py:16: AssertionError
 ------------------- generated xml file: /tmp/r.xml --------------------
 =========================== short test summary info ============================
 FAILED tests/test_a.py::TestA::test_bad - AssertionError: 1 != 2
 FAILED tests/test_b.py::test_bad[x.y - a::b] - assert False
 ERROR tests/test_a.py::test_setup - RuntimeError: setup
 ================= 2 failed, 1 passed, 1 error in 0.42s =========================
""")  # fmt: skip

PYTEST_SUMMARY = sample("pytest output", "tests/test_a.py::test_p[a b]", "failed", """
 FF                                                                       [100%]
 =========================== short test summary info ============================
 FAILED tests/test_a.py::test_x - AssertionError: 1 != 2
+FAILED tests/test_a.py::test_p[a b] - AssertionError: assert 'a b' == 1
 2 failed in 0.42s
""")  # fmt: skip

PYTEST_VERBOSE = sample("pytest output", "tests/test_a.py::test_good", "passed", """
 ============================= test session starts ==============================
 [gw0] [ 50%] FAILED tests/test_a.py::test_bad 
+tests/test_a.py::test_good PASSED                                        [100%]
 =================================== FAILURES ===================================
 ___________________________________ test_bad ___________________________________
 >   assert False
 E   assert False
 ========================= 1 failed, 1 passed in 0.42s ==========================
""")  # fmt: skip

UNITTEST = sample("unittest output", "mod.A.test_b", "failed", """
 test_a (mod.A.test_a) ... ok
 test_b (mod.A.test_b)
 Doc line. ... FAIL

 ======================================================================
 ERROR: test_e (mod.A.test_e)
 ----------------------------------------------------------------------
 Traceback (most recent call last):
 ValueError: x

 ======================================================================
+FAIL: test_b (mod.A.test_b) (i=1)
+Doc line.
+----------------------------------------------------------------------
+Traceback (most recent call last):
+  File "mod.py", line 7, in test_b
+AssertionError: 1 != 2

 ----------------------------------------------------------------------
 Ran 3 tests in 0.001s

 FAILED (failures=1, errors=1)
""")  # fmt: skip

UNITTEST_3_10 = sample("unittest output", "mod.A.test_b", "error", """
 E
 ======================================================================
+ERROR: test_b (mod.A)
+----------------------------------------------------------------------
+Traceback (most recent call last):
+ValueError: x

 ----------------------------------------------------------------------
 Ran 1 test in 0.001s
""")  # fmt: skip

GO = sample("go test output", "TestSplit/escaped", "failed", """
 --- FAIL: TestSplit (0.00s)
+    --- FAIL: TestSplit/escaped (0.00s)
+        split_test.go:12: got 1
+            want 2
     --- PASS: TestSplit/plain (0.00s)
 FAIL
 FAIL	example.com/parser	0.003s
 ok  	example.com/other	0.001s
""")  # fmt: skip

GO_PARENT = GO._replace(
    case="TestSplit",
    wanted=b"".join(GO.data.splitlines(keepends=True)[:5]),
)

GO_VERBOSE = sample("go test output", "TestOne", "failed", """
+=== RUN   TestOne
 === PAUSE TestOne
 === RUN   TestTwo
 === PAUSE TestTwo
+=== CONT  TestOne
+    one_test.go:5: first
 === CONT  TestTwo
     two_test.go:5: other
+=== NAME  TestOne
+    one_test.go:9: second
 --- PASS: TestTwo (0.00s)
+--- FAIL: TestOne (0.00s)
+panic: boom [recovered]
+	panic: boom
+
+goroutine 18 [running]:
+testing.tRunner.func1.2({0x4f, 0x55})
 FAIL	example.com/parser	0.004s
 FAIL
""")  # fmt: skip

RUST = sample("cargo test output", "tests::fails", "failed", """
 running 3 tests
 test tests::fails ... FAILED
 test tests::no_panic - should panic ... FAILED
 test tests::works ... ok

 failures:

+---- tests::fails stdout ----
+out
+
+thread 'tests::fails' (25622) panicked at a.rs:4:43:
+assertion `left == right` failed
+  left: 1
+ right: 2
+note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace

 ---- tests::no_panic stdout ----
 note: test did not panic as expected at a.rs:7:32

 failures:
     tests::fails
     tests::no_panic

 test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out
""")  # fmt: skip

RUST_PANIC = sample("cargo test output", "tests::fails", "failed", """
 running 2 tests
+thread 'tests::fails' panicked at src/lib.rs:4:43:
+boom
+note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
 test tests::fails ... FAILED
 test tests::works ... ok
""")  # fmt: skip

JEST = sample("Jest output", "outer › in <\"ner\"> › also fails", "failed", """
 FAIL ./a.test.js
   ○ skipped left out
   outer
     ✓ passes (1 ms)
     ✕ fails (2 ms)

   ● Console

     console.log
       talk

   ● outer › fails

     expect(received).toBe(expected) // Object.is equality

     Expected: 2

+  ● outer › in <"ner"> › also fails
+
+    boom
+
+      at Object.<anonymous> (a.test.js:1:166)

 PASS ./b.test.js
 Summary of all failing tests
 FAIL ./a.test.js
   ● outer › in <"ner"> › also fails

     boom

 Test Suites: 1 failed, 1 total
""")  # fmt: skip

SAMPLES = (
    PYTEST_XML,
    JEST_XML,
    NODE_XML,
    SUREFIRE_XML,
    GOTESTSUM_XML,
    PHPUNIT_XML,
    DOTNET_XML,
    NODE_TAP,
    PERL_TAP,
    TAPE_TAP,
    TAP_14,
    PYTEST_TEXT,
    PYTEST_SUMMARY,
    PYTEST_VERBOSE,
    UNITTEST,
    UNITTEST_3_10,
    GO,
    GO_PARENT,
    GO_VERBOSE,
    RUST,
    RUST_PANIC,
    JEST,
)
