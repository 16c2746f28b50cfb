//! Edits of headers of a real tree of C, from those that most files include to those that few do.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use sdl_tests::TestEnv;
use serde_json::json;

use super::drift::{check_end, wait_settled};
use crate::figures::Times;
use crate::options::Options;
use crate::world::World;
use crate::{Outcome, process, tree};

/// The name that each edit adds.
const ADDED: &str = "sdl_bench_added";

pub(crate) fn run_headers(options: &Options) -> Outcome {
    let path = options.path.clone().ok_or("headers wants a PATH")?;
    let count = usize::try_from(options.number("headers", 8))?.max(1);
    let env = TestEnv::new();
    let root = env.repo("tree", "");
    println!("{} files copied", tree::copy_tree(&path, &root)?);
    let headers = pick_headers(&root, count);
    let (mut world, time) = World::indexed(env, &root)?;
    println!("indexed in {:.1} s", time.as_secs_f64());
    let mut times: BTreeMap<&str, Times> = BTreeMap::new();
    let mut wrong = 0;
    for (header, includers) in &headers {
        println!("{}, which {includers} files name:", header.display());
        let path = root.join(header);
        let text = fs::read_to_string(&path)?;
        for edit in EDITS {
            let Some(edited) = (edit.change)(&text) else { continue };
            for (name, text, defined) in
                [(edit.name, &edited, edit.defines), ("the same taken back", &text, 0)]
            {
                fs::write(&path, text)?;
                let wait = measure_wait(&mut world, times.entry(name).or_default())?;
                // Not measured: a search in vain looks for names like this one.
                let found =
                    world.call("symbol_search", json!({"query": ADDED, "exact": true, "limit": 2}))?;
                let right = found["results"].as_array().map(Vec::len) == Some(defined);
                println!("  {name:<26} {wait}{}", if right { "" } else { "  WRONG" });
                wrong += u32::from(!right);
            }
        }
    }
    for (name, times) in &mut times {
        println!("{name:<24} {}", times.summary());
    }
    check_end(&world, wrong)
}

/// An edit of a header.
struct Edit {
    name: &'static str,
    /// The edited text; none if the header has no place for it.
    change: fn(&str) -> Option<String>,
    /// How many definitions of [`ADDED`] there are afterwards.
    defines: usize,
}

const EDITS: &[Edit] = &[
    Edit { name: "a comment", change: |text| add_line(text, "/* An edit. */"), defines: 0 },
    Edit { name: "a prototype", change: |text| add_line(text, "int sdl_bench_added(int a);"), defines: 1 },
    Edit {
        name: "a macro",
        change: |text| add_line(text, "#define sdl_bench_added(a) ((a) + 1)"),
        defines: 1,
    },
    Edit {
        name: "a structure",
        change: |text| add_line(text, "struct sdl_bench_added { int a; };"),
        defines: 1,
    },
    Edit { name: "a member of a structure", change: add_member, defines: 1 },
];

/// Adds a line before the last `#endif`, which ends a header's guard.
fn add_line(text: &str, line: &str) -> Option<String> {
    let at = text.rfind("\n#endif")?;
    Some(format!("{}\n{line}{}", text.get(..at)?, text.get(at..)?))
}

/// Adds a member to the first structure.
fn add_member(text: &str) -> Option<String> {
    let begins = text.find("\nstruct ")?;
    let head = text.get(begins..)?.find('\n').and_then(|at| text.get(begins + at + 1..)?.lines().next())?;
    if !head.ends_with('{') {
        return None;
    }
    let at = begins + 1 + head.len();
    Some(format!("{}\n\tint sdl_bench_added;{}", text.get(..at)?, text.get(at..)?))
}

/// Waits until the ledger has what was just written. Gives time and CPU for people.
fn measure_wait(world: &mut World, times: &mut Times) -> Outcome<String> {
    let pid = world.daemon.pid();
    let before = process::cpu_seconds(pid).unwrap_or(f64::NAN);
    times.measure(|| wait_settled(world))?;
    let cpu = process::cpu_seconds(pid).unwrap_or(f64::NAN) - before;
    Ok(format!("{:>6.0} ms, {cpu:>5.2} CPU s", times.last_milliseconds()))
}

/// Headers of the tree by the number of files that name them in an `#include`: the first, the second, the fourth and so on.
fn pick_headers(root: &Path, count: usize) -> Vec<(PathBuf, usize)> {
    let mut named: BTreeMap<String, usize> = BTreeMap::new();
    let mut headers: Vec<PathBuf> = Vec::new();
    for entry in ignore::WalkBuilder::new(root).build().flatten() {
        let path = entry.path();
        let ending = path.extension().and_then(|ending| ending.to_str());
        if !matches!(ending, Some("c" | "h" | "cc" | "cpp" | "hpp")) {
            continue;
        }
        let text = fs::read_to_string(path).unwrap_or_default();
        for name in text.lines().filter_map(included_name) {
            *named.entry(name.to_owned()).or_default() += 1;
        }
        if matches!(ending, Some("h" | "hpp"))
            && let Ok(header) = path.strip_prefix(root)
        {
            headers.push(header.to_owned());
        }
    }
    let mut by_number: Vec<(String, usize)> = named.into_iter().collect();
    by_number.sort_by(|a, b| (Reverse(a.1), &a.0).cmp(&(Reverse(b.1), &b.0)));
    let find = |name: &str| {
        let mut ends: Vec<&PathBuf> = headers.iter().filter(|header| header.ends_with(name)).collect();
        // Of `include/linux/types.h` and `tools/include/linux/types.h` the shorter.
        ends.sort_by_key(|header| (header.components().count(), (*header).clone()));
        ends.first().map(|header| (*header).clone())
    };
    let last = 1 << count.saturating_sub(1).min(16);
    let in_tree: Vec<(PathBuf, usize)> =
        by_number.iter().filter_map(|(name, number)| Some((find(name)?, *number))).take(last).collect();
    (0..count).filter_map(|at| in_tree.get((1_usize << at.min(16)) - 1)).cloned().collect()
}

/// The file that a line includes: `linux/fs.h` of `#include <linux/fs.h>`.
fn included_name(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
    let rest = rest.strip_prefix(['<', '"'])?;
    rest.split(['>', '"']).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_go_inside_of_the_guard() {
        let text = "#ifndef A\n#define A\nstruct a {\n\tint b;\n};\n#endif\n";
        let with_line = add_line(text, "int c;").unwrap_or_default();
        assert_eq!(with_line, "#ifndef A\n#define A\nstruct a {\n\tint b;\n};\nint c;\n#endif\n");
        let with_member = add_member(text).unwrap_or_default();
        assert_eq!(
            with_member,
            "#ifndef A\n#define A\nstruct a {\n\tint sdl_bench_added;\n\tint b;\n};\n#endif\n"
        );
        assert_eq!(included_name("# include <linux/fs.h> // x"), Some("linux/fs.h"));
        assert_eq!(included_name("#define include"), None);
    }
}
