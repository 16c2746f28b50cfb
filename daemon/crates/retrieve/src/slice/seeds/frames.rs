//! Stack traces of the common languages to frames.

use std::sync::OnceLock;

use regex::Regex;

/// Frames that are looked at.
const MOST_FRAMES: usize = 64;
/// Bytes of a trace that are looked at.
const LONGEST: usize = 256 * 1024;

/// One frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Its file as printed; for Java and its kin the package's folders and the file's name.
    pub(crate) path: String,
    /// Its line.
    pub(crate) line: u32,
    /// Its function's simple name, where the trace says it.
    pub(crate) function: Option<String>,
}

/// The forms in which traces name a frame. The groups are `path`, `line` and `function`.
fn frame_patterns() -> &'static [Regex] {
    static FORMS: OnceLock<Vec<Regex>> = OnceLock::new();
    FORMS.get_or_init(|| {
        [
            // Python: File "a.py", line 3, in f
            r#"File "(?P<path>[^"]+)", line (?P<line>\d+)(?:, in (?P<function>[^\s]+))?"#,
            // Java, Kotlin: at a.b.C.f(C.java:3)
            r"^\s*at (?:[\w.]+/)?(?P<function>[\w.$<>]+)\((?P<path>[\w$-]+\.(?:java|kt|kts|scala|groovy)):(?P<line>\d+)\)",
            // C#: at A.B.F(Int32 x) in /a/b.cs:line 3
            r"^\s*at (?P<function>[\w.`<>+\[\],]+)\([^)]*\) in (?P<path>.+?):line (?P<line>\d+)",
            // JavaScript, TypeScript: at f (a.js:3:5)
            r"^\s*at (?:async )?(?:new )?(?P<function>[\w.$<>#]+)(?: \[as \w+\])? \((?P<path>[^()]+?):(?P<line>\d+)(?::\d+)?\)",
            // JavaScript without a function: at file:///a.js:3:5
            r"^\s*at (?:async )?(?P<path>(?:[\w-]+://)?[^\s()]+?):(?P<line>\d+):\d+\s*$",
            // Firefox, Safari: f@a.js:3:5
            r"^\s*(?P<function>[\w.$/<]*)@(?P<path>\S+?):(?P<line>\d+):\d+\s*$",
            // PHP: #0 a.php(3): A->f()
            r"^\s*#\d+ (?P<path>[^()]+)\((?P<line>\d+)\): (?P<function>[\w\\>:-]+)",
            // PHP: in a.php on line 3
            r" in (?P<path>\S+\.php)(?: on line |:)(?P<line>\d+)",
            // Ruby: a.rb:3:in 'A#f'
            r"^\s*(?:from )?(?P<path>[^\s:]+\.rb):(?P<line>\d+)(?::in [`'](?:block .*in )?(?P<function>[^`']+)')?",
            // Rust, Go and whatever else says path:line
            r"(?:^|[\s(])(?P<path>(?:[A-Za-z]:)?[^\s:()'\x22]+\.[A-Za-z]{1,5}):(?P<line>\d+)",
        ]
        .iter()
        // The patterns are constants that a test compiles; one that did not would only be missing.
        .filter_map(|pattern| Regex::new(pattern).ok())
        .collect()
    })
}

/// The frames of a trace, innermost first.
pub(crate) fn parse_frames(trace: &str) -> Vec<Frame> {
    let trace = trace.get(..LONGEST.min(trace.len())).unwrap_or(trace);
    let mut frames = Vec::new();
    let mut above: Option<String> = None;
    for line in trace.lines().take(4_096) {
        let line = line.get(..2_000).unwrap_or(line);
        let found = frame_patterns().iter().find_map(|form| form.captures(line));
        let Some(found) = found else {
            above = function_line(line);
            continue;
        };
        let (Some(path), Some(number)) = (found.name("path"), found.name("line")) else { continue };
        let Ok(number) = number.as_str().parse() else { continue };
        let qualified = found.name("function").map(|name| name.as_str().to_owned()).or_else(|| above.take());
        let path = frame_path(path.as_str(), qualified.as_deref());
        frames.push(Frame { path, line: number, function: qualified.as_deref().and_then(simple_name) });
        above = None;
    }
    // Python says the innermost last.
    if trace.contains("most recent call last") {
        frames.reverse();
    }
    frames.truncate(MOST_FRAMES);
    frames
}

/// The function of a line that is above its place, as Go and Rust print it.
fn function_line(line: &str) -> Option<String> {
    let line = line.trim();
    // Rust: `3: a::b::c`, followed by a hash in old mangling.
    let rust = line
        .split_once(": ")
        .filter(|(number, _)| number.chars().all(|c| c.is_ascii_digit()))
        .map(|(_, name)| name);
    // Go: `main.(*T).f(0x1, 0x2)`
    let go = line.strip_suffix(')').and_then(|line| line.rfind('(').and_then(|at| line.get(..at)));
    let name = rust.or(go)?;
    let plain = name.split("::h").next().unwrap_or(name);
    (!plain.contains(' ')).then(|| plain.to_owned())
}

/// The path of a frame without the prefix of launchers, such as `webpack:///./`. For Java, the path follows from the
/// class's package.
fn frame_path(path: &str, qualified: Option<&str>) -> String {
    let java = [".java", ".kt", ".kts", ".scala", ".groovy"].iter().any(|end| path.ends_with(end));
    if java && !path.contains('/') {
        let mut packages: Vec<&str> = qualified.unwrap_or("").split('.').collect();
        packages.truncate(packages.len().saturating_sub(2));
        packages.push(path);
        return packages.join("/");
    }
    let path = path.split("://").last().unwrap_or(path);
    let path = path.split(['?', '#']).next().unwrap_or(path);
    path.trim_start_matches("/./").trim_start_matches("./").replace('\\', "/")
}

/// The simple name of a function as a trace prints it; none for lambdas and modules.
fn simple_name(qualified: &str) -> Option<String> {
    let last = qualified.rsplit(['.', ':', '#', '>', '/', '\\']).next().unwrap_or("");
    let name = last.trim_matches(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
    let lambda = last.contains(['<', '{']) || name.is_empty();
    (!lambda).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(trace: &str) -> Vec<(String, u32, String)> {
        parse_frames(trace).into_iter().map(|f| (f.path, f.line, f.function.unwrap_or_default())).collect()
    }

    fn frame(path: &str, line: u32, function: &str) -> (String, u32, String) {
        (path.to_owned(), line, function.to_owned())
    }

    #[test]
    fn every_form_compiles() {
        assert_eq!(frame_patterns().len(), 10);
    }

    #[test]
    fn python_innermost_last() {
        let trace = "Traceback (most recent call last):\n  File \"/srv/app/main.py\", line 3, in <module>\n    run()\n  File \"/srv/app/core/run.py\", line 40, in run\n    x()\nValueError: no";
        assert_eq!(
            frames(trace),
            [frame("/srv/app/core/run.py", 40, "run"), frame("/srv/app/main.py", 3, "")]
        );
    }

    #[test]
    fn javascript() {
        let trace = "TypeError: x\n    at Foo.bar (/app/src/foo.ts:10:5)\n    at async file:///app/src/main.js:3:1\n    at new Thing (webpack:///./src/thing.ts?a1:7:2)";
        assert_eq!(
            frames(trace),
            [
                frame("/app/src/foo.ts", 10, "bar"),
                frame("/app/src/main.js", 3, ""),
                frame("src/thing.ts", 7, "Thing")
            ]
        );
    }

    #[test]
    fn rust_and_go() {
        let rust = "thread 'main' panicked at src/lib.rs:9:5:\nboom\n   1: sdl::slice::build\n             at ./src/slice/mod.rs:33:9";
        assert_eq!(frames(rust), [frame("src/lib.rs", 9, ""), frame("src/slice/mod.rs", 33, "build")]);
        let go =
            "goroutine 1 [running]:\nmain.(*Server).Handle(0xc000, 0x1)\n\t/go/src/app/server.go:42 +0x1d";
        assert_eq!(frames(go), [frame("/go/src/app/server.go", 42, "Handle")]);
    }

    #[test]
    fn java_and_csharp() {
        let java = "Exception in thread \"main\" java.lang.X\n\tat com.acme.user.Service.find(Service.java:21)\n\tat java.base/java.lang.Thread.run(Thread.java:833)";
        assert_eq!(
            frames(java),
            [frame("com/acme/user/Service.java", 21, "find"), frame("java/lang/Thread.java", 833, "run")]
        );
        let csharp = "   at Acme.Web.Home.Index(Int32 id) in C:\\src\\Home.cs:line 12";
        assert_eq!(frames(csharp), [frame("C:/src/Home.cs", 12, "Index")]);
    }

    #[test]
    fn ruby_and_php() {
        let ruby = "app/models/user.rb:12:in `save!': bad (RuntimeError)\n\tfrom app/main.rb:3:in 'Main#run'";
        assert_eq!(frames(ruby), [frame("app/models/user.rb", 12, "save"), frame("app/main.rb", 3, "run")]);
        let php = "PHP Fatal error: x in /app/a.php:3\n#0 /app/b.php(7): Acme\\Cart->total()\n#1 {main}";
        assert_eq!(frames(php), [frame("/app/a.php", 3, ""), frame("/app/b.php", 7, "total")]);
    }

    #[test]
    fn other_texts_have_no_frames() {
        assert_eq!(frames("nothing to see: here, at 12:30"), []);
        assert_eq!(frames(&"(".repeat(100_000)), []);
    }
}
