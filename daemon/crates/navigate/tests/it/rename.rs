//! Plans of renames. A plan is checked as its reader uses it: the edits are applied, and the new tree is asked.

use std::collections::BTreeMap;

use sdl_model::{FileId, RelPath};
use sdl_navigate::Graph;
use sdl_navigate::rename::{NameProblem, Refusal, RenamePlan, Renaming, SpellingFile};

use crate::ledger::MemoryLedger;
use crate::mentions::TreeBodies;

/// The files of a tree that is written as one text.
fn files_of(tree: &str) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for part in tree.split("//- /").skip(1) {
        let (path, text) = part.split_once('\n').unwrap();
        files.insert(path.to_owned(), text.to_owned());
    }
    files
}

fn tree_of(files: &BTreeMap<String, String>) -> String {
    files.iter().map(|(path, text)| format!("//- /{path}\n{text}")).collect()
}

pub(crate) fn plan_of(tree: &str, (path, name): (&str, &str), new: &str) -> Result<RenamePlan, Refusal> {
    let ledger = MemoryLedger::new(tree);
    let at = ledger.head();
    let source = at.source();
    let graph = Graph::new(&source);
    let target = source.symbol(at.id(path, name)).unwrap().unwrap();
    let renaming = Renaming::begin(&graph, &[target], new).unwrap()?;
    let files: Vec<SpellingFile> = files_of(tree)
        .iter()
        .filter(|(_, text)| renaming.is_spelled(text.as_bytes()))
        .map(|(path, text)| SpellingFile {
            file: FileId::of(&RelPath::new(path).unwrap()),
            bytes: text.clone().into_bytes(),
        })
        .collect();
    renaming.plan(&source, (None, &TreeBodies(&ledger)), &files).unwrap()
}

/// The tree after the plan's edits.
pub(crate) fn apply_plan(tree: &str, plan: &RenamePlan, old: &str) -> BTreeMap<String, String> {
    let mut files = files_of(tree);
    for edit in plan.edits.iter().rev() {
        let text = files.get_mut(&edit.place.path).unwrap();
        let start = edit.place.at as usize;
        assert_eq!(&text[start..start + old.len()], old, "{edit:?}");
        text.replace_range(start..start + old.len(), &edit.new);
    }
    files
}

pub(crate) fn doubts_of(plan: &RenamePlan) -> Vec<String> {
    let blocking = plan.doubts.iter().filter(|doubt| doubt.blocks);
    blocking.map(|doubt| format!("{}:{} {}", doubt.place.path, doubt.place.line, doubt.why)).collect()
}

const PACKAGE: &str = "\
//- /pack/__init__.py
from .core import run
from .core import run as go

__all__ = ['run', 'go']
//- /pack/core.py
def run(job):
    \"\"\"Calls run again.\"\"\"
    return run(job.run)


class Job:
    run = 1

    def start(self):
        return run(self)


def other(run):
    return run()
//- /tests/test_core.py
import pack
from pack import (
    go,
    run,
)


def test_run():
    assert pack.run(1) and run(2) and go(3)
";

#[test]
fn a_function_is_renamed_wherever_it_is_meant() {
    let plan = plan_of(PACKAGE, ("pack/core.py", "run"), "execute").unwrap();
    let files = apply_plan(PACKAGE, &plan, "run");
    assert_eq!(
        files["pack/__init__.py"],
        "from .core import execute\nfrom .core import execute as go\n\n__all__ = ['execute', 'go']\n"
    );
    assert!(
        files["pack/core.py"]
            .contains("def execute(job):\n    \"\"\"Calls run again.\"\"\"\n    return execute(job.run)")
    );
    assert!(
        files["pack/core.py"].contains("    run = 1\n\n    def start(self):\n        return execute(self)")
    );
    assert!(files["pack/core.py"].contains("def other(run):\n    return run()"));
    assert!(files["tests/test_core.py"].contains("    execute,\n)\n\n\ndef test_run():"));
    assert!(files["tests/test_core.py"].contains("pack.execute(1) and execute(2) and go(3)"));
    assert_eq!(doubts_of(&plan), Vec::<String>::new());
    assert!(plan.is_complete());
    let words: Vec<&str> = plan.doubts.iter().map(|doubt| doubt.why).collect();
    assert_eq!(words, ["a text names it"]);
}

/// The law: renaming there and back gives the same tree, and each place that spells the name is accounted for.
#[test]
fn a_rename_and_its_reverse_give_the_tree_back() {
    for (path, name, new) in [
        ("pack/core.py", "run", "execute"),
        ("pack/core.py", "Job", "Task"),
        ("pack/core.py", "Job.start", "begin"),
        ("pack/core.py", "other", "another"),
    ] {
        let old = name.rsplit('.').next().unwrap();
        let plan = plan_of(PACKAGE, (path, name), new).unwrap();
        assert!(plan.is_complete(), "{name}: {:?}", doubts_of(&plan));
        let spelled: usize = files_of(PACKAGE)
            .values()
            .map(|text| sdl_lang::spelled_places(text.as_bytes(), old).count())
            .sum();
        assert_eq!(plan.edits.len() + plan.doubts.len() + plan.elsewhere, spelled, "{name}");
        let after = tree_of(&apply_plan(PACKAGE, &plan, old));
        let renamed = name.replace(old, new);
        let back = plan_of(&after, (path, &renamed), old).unwrap();
        let again = apply_plan(&after, &back, new);
        assert_eq!(again, files_of(PACKAGE), "{name}");
    }
}

#[test]
fn what_overrides_a_member_changes_with_it_and_unknown_receivers_are_for_a_person() {
    let tree = crate::trees::SHAPES;
    let plan = plan_of(tree, ("shapes/base.py", "Square.area"), "surface").unwrap();
    let files = apply_plan(tree, &plan, "area");
    assert_eq!(files["shapes/base.py"].matches("def surface(self)").count(), 3);
    assert!(files["shapes/base.py"].contains("str(self.surface())"));
    assert!(files["shapes/make.py"].contains("shape.surface() for shape"));
    assert_eq!(doubts_of(&plan), ["shapes/make.py:17 a member of a receiver of unknown type"]);
    assert!(!plan.is_complete());
}

#[test]
fn a_trait_of_rust_changes_with_its_blocks() {
    let tree = crate::trees::MIXED;
    let plan = plan_of(tree, ("src/lib.rs", "Visit"), "Look").unwrap();
    let files = apply_plan(tree, &plan, "Visit");
    assert!(
        files["src/walk.rs"].starts_with("use crate::{Look, run};\npub struct Plain;\nimpl Look for Plain")
    );
    assert!(plan.is_complete(), "{:?}", doubts_of(&plan));
    let plan = plan_of(tree, ("src/walk.rs", "Plain"), "Simple").unwrap();
    let files = apply_plan(tree, &plan, "Plain");
    assert!(
        files["src/walk.rs"].contains("impl Visit for Simple")
            && files["src/walk.rs"].contains("run(&Simple)")
    );
    assert!(plan.is_complete(), "{:?}", doubts_of(&plan));
}

#[test]
fn keys_keep_their_name_and_paths_of_modules_too() {
    let tree = "\
//- /web/save.ts
export function save(n: number) { return n; }
export { save as store };
//- /web/app.ts
import { save } from './save';
import * as all from './save';
export const actions = { save, other: { save: 1 } };
export function run() { return save(1) + all.save(2); }
";
    let plan = plan_of(tree, ("web/save.ts", "save"), "keep").unwrap();
    let files = apply_plan(tree, &plan, "save");
    assert_eq!(
        files["web/app.ts"],
        "import { keep } from './save';\nimport * as all from './save';\nexport const actions = { save: keep, other: { save: 1 } };\n\
         export function run() { return keep(1) + all.keep(2); }\n"
    );
    assert!(files["web/save.ts"].contains("export { keep as store };"));
    assert!(plan.is_complete(), "{:?}", doubts_of(&plan));
}

/// Who takes the object states the names of its methods, and may be outside of the repository.
#[test]
fn a_method_of_an_object_without_a_name_is_for_a_person() {
    let tree = "\
//- /web/stream.ts
export class Feed {
  lines: ReadableStream;
  constructor() {
    this.lines = new ReadableStream({ pull(sink) { sink.close(); }, cancel: () => { stop(); } });
  }
}
register({ pull() { return 1; } });
export function stop() {}
";
    for name in ["Feed.constructor.pull", "Feed.constructor.cancel", "pull"] {
        let plan = plan_of(tree, ("web/stream.ts", name), "fetch_more").unwrap();
        let says = "web/stream.ts:4 a member of a value without a named type";
        let says = if name == "pull" { says.replace(":4", ":7") } else { says.to_owned() };
        assert!(doubts_of(&plan).contains(&says), "{name}: {:?}", doubts_of(&plan));
        assert!(!plan.is_complete());
    }
    let plan = plan_of(tree, ("web/stream.ts", "stop"), "halt").unwrap();
    assert!(plan.is_complete(), "{:?}", doubts_of(&plan));
}

#[test]
fn a_nested_type_is_renamed_where_it_is_created_and_inside_itself() {
    let tree = "\
//- /web/Check.java
package web;
public abstract class Check {
  public static final class Last extends Check {}
  public static class Kind<T> {
    static final Kind<String> WORD = new Kind<String>();
    Kind() {}
    Kind<T> again() { return this; }
  }
}
//- /web/Use.java
package web;
class Use {
  Check last() { return new Check.Last(); }
  int other(Use last) { return last.Last(); }
}
";
    let plan = plan_of(tree, ("web/Check.java", "Check.Last"), "Final").unwrap();
    let files = apply_plan(tree, &plan, "Last");
    assert!(files["web/Use.java"].contains("new Check.Final()"), "{:?}", doubts_of(&plan));
    assert!(files["web/Use.java"].contains("last.Last()"));
    let plan = plan_of(tree, ("web/Check.java", "Check.Kind"), "Sort").unwrap();
    let files = apply_plan(tree, &plan, "Kind");
    assert!(!files["web/Check.java"].contains("Kind"), "{}", files["web/Check.java"]);
    assert!(plan.is_complete(), "{:?}", doubts_of(&plan));
}

#[test]
fn a_type_that_go_embeds_is_a_field_too() {
    let tree = "\
//- /go.mod
module example.com/disk
//- /fs.go
package disk

type Fs interface { Size() int }

type Plain struct{ *Disk }

type Disk struct { n int }

type Afero struct {
	Fs
}

func (a Afero) Twice() int { return a.Fs.Size() * 2 }

func Wrap(fs Fs) Afero { return Afero{Fs: fs} }
func Bare(d *Disk) Plain { return Plain{d} }
//- /other/fs.go
package other

import \"example.com/disk\"

type Holder struct { disk.Fs }

func (h Holder) Inner() disk.Fs { return h.Fs }
";
    let plan = plan_of(tree, ("fs.go", "Fs"), "Store").unwrap();
    let files = apply_plan(tree, &plan, "Fs");
    assert!(files["fs.go"].contains("type Afero struct {\n\tStore\n}"), "{}", files["fs.go"]);
    assert!(files["fs.go"].contains("a.Store.Size()"), "{}", files["fs.go"]);
    assert!(files["other/fs.go"].contains("struct { disk.Store }"), "{}", files["other/fs.go"]);
    assert!(files["other/fs.go"].contains("disk.Store { return h.Store }"), "{}", files["other/fs.go"]);
    let is_set = files["fs.go"].contains("Afero{Store: fs}");
    assert!(is_set || !plan.is_complete(), "{:?}", doubts_of(&plan));
    let plan = plan_of(tree, ("fs.go", "Disk"), "Drive").unwrap();
    let files = apply_plan(tree, &plan, "Disk");
    assert!(!files["fs.go"].contains("Disk"), "{}", files["fs.go"]);
}

#[test]
fn a_method_that_an_interface_of_outside_may_state_is_for_a_person() {
    let tree = "\
//- /go.mod
module example.com/disk
//- /file.go
package disk

import \"example.org/parts\"

type File interface {
	parts.Rewinder
	Name() string
}
//- /tar/file.go
package tar

import \"example.com/disk\"

type File struct{}

func (f *File) Name() string { return \"\" }
func (f *File) Rewind() {}
func (f *File) skip() {}

type Words struct{}

func (w Words) Write(p []byte) (int, error) { return len(p), nil }
func (w Words) Count() int { return 1 }

func Open() disk.File { return &File{} }
";
    for (name, new, is_open) in [
        ("File.Rewind", "Restart", true),
        ("File.skip", "jump", false),
        ("Words.Write", "Put", true),
        ("Words.Count", "Number", false),
    ] {
        let plan = plan_of(tree, ("tar/file.go", name), new).unwrap();
        assert_eq!(plan.is_complete(), !is_open, "{name}: {:?}", doubts_of(&plan));
    }
}

#[test]
fn what_a_method_that_returns_a_dotted_self_gives_is_known() {
    let tree = "\
//- /jar.py
import typing as t
import typing_extensions as te


class Cookie:
    @classmethod
    def parse(cls, text: str) -> te.Self:
        return cls()

    def copy(self) -> \"t.Self\":
        return self

    def is_gone(self) -> bool:
        return False


def run(text):
    cookie = Cookie.parse(text)
    return cookie.is_gone() or cookie.copy().is_gone()
";
    let plan = plan_of(tree, ("jar.py", "Cookie.is_gone"), "is_dead").unwrap();
    let files = apply_plan(tree, &plan, "is_gone");
    assert!(files["jar.py"].contains("return cookie.is_dead() or cookie.copy().is_dead()"));
    assert!(plan.is_complete(), "{:?}", doubts_of(&plan));
}

#[test]
fn a_member_that_is_assigned_to_a_value_is_for_a_person() {
    let tree = "\
//- /web/ajax.ts
export interface Creation {
  (url: string): number;
  patch(url: string): number;
}
export const ajax: Creation = (() => {
  const create: any = (url: string) => 1;
  create.patch = patchUrl;
  return create;
})();
function patchUrl(url: string) { return 2; }
//- /web/vue.ts
import { Compat } from './compat';
export const app: Compat = create();
app.observable = (target: any) => { return target; };
function create(): any {}
";
    let plan = plan_of(tree, ("web/ajax.ts", "Creation.patch"), "mend").unwrap();
    assert!(!plan.is_complete(), "{:?}", plan.edits);
    let plan = plan_of(tree, ("web/vue.ts", "app.observable"), "seen").unwrap();
    assert!(!plan.is_complete(), "{:?}", plan.edits);
}

#[test]
fn a_string_and_a_mark_are_for_a_person() {
    let tree = "\
//- /a.py
import click


@click.command()
def run():
    return getattr(run, 'run')
";
    let plan = plan_of(tree, ("a.py", "run"), "execute").unwrap();
    assert_eq!(
        doubts_of(&plan),
        ["a.py:5 what it is marked with may use its name", "a.py:6 a string may name it"]
    );
}

#[test]
fn a_type_in_a_string_is_for_a_person() {
    let tree = "\
//- /jobs.py
Job = dict


def made(value):
    'Makes a Job, or none.'
    return cast('list[Job] | None', value)
";
    let plan = plan_of(tree, ("jobs.py", "Job"), "Task").unwrap();
    assert_eq!(doubts_of(&plan), ["jobs.py:6 a string may name it"]);
}

#[test]
fn a_name_that_can_not_be_given_is_refused() {
    let refused =
        |new: &str| plan_of(PACKAGE, ("pack/core.py", "run"), new).map(|plan| plan.edits.len()).unwrap_err();
    assert_eq!(refused("a-b"), Refusal::Name(NameProblem::NotAnIdentifier));
    assert_eq!(refused("class"), Refusal::Name(NameProblem::Reserved));
    assert_eq!(refused("run"), Refusal::Name(NameProblem::Unchanged));
    assert_eq!(refused("_run"), Refusal::Name(NameProblem::OtherMeaning));
    assert_eq!(refused("other"), Refusal::Taken { path: "pack/core.py".to_owned(), line: 13 });
    // An importing file has the name.
    assert_eq!(refused("go"), Refusal::Taken { path: "pack/__init__.py".to_owned(), line: 2 });
    // A parameter of a function that calls it would hide it.
    assert_eq!(refused("job"), Refusal::Taken { path: "pack/core.py".to_owned(), line: 3 });
    let tree = "//- /a.py\nclass A:\n    def __init__(self):\n        pass\n";
    let refused = plan_of(tree, ("a.py", "A.__init__"), "b").map(|plan| plan.edits.len()).unwrap_err();
    assert!(matches!(refused, Refusal::Name(NameProblem::NotRenamable(_))));
}
