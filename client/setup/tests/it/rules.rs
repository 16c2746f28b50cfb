//! The rules for agents: each client's file, and files that are shared, broken or somebody else's.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use sdl_setup::catalog::rules::{RULES, RuleFile};
use sdl_setup::edit::block::{BEGIN, END, render_block};
use sdl_setup::rules::{Head, RULES_PURPOSE, RULES_TEXT, RuleForm};
use sdl_setup::{Action, Client, Machine, Os, Part, Parts, Scope, clients, find_client};
use sdl_tokens::count_tokens;

use crate::page::assert_table;
use crate::world::{World, put, tree};

const RULES_ONLY: Parts = Parts { rules: true, hooks: false };
const EXISTING: &str = "# Our rules\n\n* Use tabs.  <!-- why? -->\n* Ask ü first.";

fn world_for(client: &Client) -> World {
    World::for_client(client).with(RULES_ONLY)
}

fn file_of(world: &World, client: &Client, scope: Scope) -> Option<(PathBuf, RuleFile)> {
    let file = client.rules()?.of_scope(scope)?;
    Some((file.path(&world.machine)?, file))
}

/// The action of the rules alone.
fn run_rules(world: &mut World, client: &'static Client, scope: Scope, remove: bool) -> Option<Action> {
    let plan = world.plan(&[client], scope, remove);
    for result in world.apply(&plan) {
        result.unwrap();
    }
    plan.steps.into_iter().find(|step| step.part == Part::Rules).map(|step| step.action)
}

/// Adds, adds again, removes: with and without a record of it.
fn there_and_back(client: &'static Client, scope: Scope, before: Option<&str>) -> String {
    let mut world = world_for(client);
    let (file, _) = file_of(&world, client, scope).unwrap();
    if let Some(before) = before {
        put(&file, before);
    }
    let root = world.machine.home.parent().unwrap().to_owned();
    let whole = tree(&root);
    assert_eq!(run_rules(&mut world, client, scope, false), Some(Action::Add), "{}", client.id);
    let after = fs::read_to_string(&file).unwrap();
    assert_eq!(run_rules(&mut world, client, scope, false), Some(Action::Keep), "{}", client.id);
    assert!(world.plan(&[client], scope, false).changes.is_empty(), "{}", client.id);
    assert_eq!(run_rules(&mut world, client, scope, true), Some(Action::Remove), "{}", client.id);
    assert_eq!(tree(&root), whole, "{}: removal left something", client.id);
    assert_eq!(world.records, sdl_setup::Records::default());

    run_rules(&mut world, client, scope, false);
    world.records = sdl_setup::Records::default();
    assert_eq!(run_rules(&mut world, client, scope, true), Some(Action::Remove), "{}", client.id);
    let left = fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(left, before.unwrap_or_default(), "{}: removal without a record", client.id);
    after
}

/// Why a text stays as it is.
fn refused(client: &'static Client, scope: Scope, text: &str) -> String {
    let mut world = world_for(client);
    let (file, _) = file_of(&world, client, scope).unwrap();
    put(&file, text);
    let Some(Action::Refuse(why)) = run_rules(&mut world, client, scope, false) else {
        panic!("{} wrote into {text:?}", client.id);
    };
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    why.replace(&world.machine.home.parent().unwrap().display().to_string(), "")
}

#[test]
fn each_client_there_and_back() {
    for rules in RULES {
        let client = find_client(rules.client).unwrap();
        let mut shown = String::new();
        for (scope, name) in [(Scope::User, "user"), (Scope::Project, "project")] {
            let world = world_for(client);
            let Some((path, file)) = file_of(&world, client, scope) else {
                let steps = world.plan(&[client], scope, false).steps;
                let skipped = steps.iter().find(|step| step.part == Part::Rules).unwrap();
                let Action::Skip(why) = skipped.action else { panic!("{:?}", skipped.action) };
                writeln!(shown, "== {name}: none\n{why}").unwrap();
                continue;
            };
            let root = world.machine.home.parent().unwrap().display().to_string();
            let fresh = there_and_back(client, scope, None);
            assert_eq!(there_and_back(client, scope, Some("")), fresh, "{}", client.id);
            let (existing, broken) = match file.form {
                RuleForm::Block => (
                    there_and_back(client, scope, Some(EXISTING)),
                    refused(client, scope, &format!("{BEGIN}\nold\n{END}\n\n{BEGIN}\n")),
                ),
                RuleForm::Own(head) => (update(client, scope, head), refused(client, scope, EXISTING)),
            };
            let path = path.display().to_string().replace(&root, "");
            let body = RULES_TEXT.trim_end();
            let brief = |text: &str| text.replace(body, "(rules)");
            write!(
                shown,
                "== {name}: {path}\n{}== existing file\n{}\n== refused\n{broken}\n",
                brief(&fresh),
                brief(&existing)
            )
            .unwrap();
        }
        insta::assert_snapshot!(format!("rules-{}", client.id), shown);
    }
}

/// A file of ours with an older text, and a line of a person after it.
fn update(client: &'static Client, scope: Scope, head: Head) -> String {
    let mut world = world_for(client);
    let (file, _) = file_of(&world, client, scope).unwrap();
    let older = format!("{}{}\n\nMine.\n", head.text(), render_block("old\n", "\n"));
    put(&file, &older);
    assert_eq!(run_rules(&mut world, client, scope, false), Some(Action::Change), "{}", client.id);
    let after = fs::read_to_string(&file).unwrap();
    assert_eq!(run_rules(&mut world, client, scope, true), Some(Action::Remove), "{}", client.id);
    assert!(fs::read_to_string(&file).unwrap().ends_with("Mine.\n"), "{}", client.id);
    after
}

#[test]
fn a_file_of_ours_follows_its_head() {
    let client = find_client("claude-code").unwrap();
    let mut world = world_for(client);
    let (file, _) = file_of(&world, client, Scope::User).unwrap();
    run_rules(&mut world, client, Scope::User, false);
    let text = fs::read_to_string(&file).unwrap();
    let older = text.replace("name: sdl", "name: older");
    fs::write(&file, &older).unwrap();
    let record = world.records.files.get_mut(&file).unwrap();
    record.hash = sdl_setup::record::hash_text(&older);
    assert_eq!(run_rules(&mut world, client, Scope::User, false), Some(Action::Change));
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    // A head that a person changed stays.
    fs::write(&file, &older).unwrap();
    assert_eq!(run_rules(&mut world, client, Scope::User, false), Some(Action::Keep));
}

#[test]
fn clients_that_share_a_file_share_the_block() {
    let trio: Vec<_> = ["codex", "opencode", "zed"].iter().map(|id| find_client(id).unwrap()).collect();
    let mut world = World::new(Os::Linux).with(RULES_ONLY);
    let file = world.machine.project.join("AGENTS.md");
    put(&file, EXISTING);
    let whole = tree(&world.machine.project);
    let added = world.run(&trio, Scope::Project, false);
    assert_eq!(added, vec![Action::Add; 6]);
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text.matches(BEGIN).count(), 1);
    // Zed is set up still, so the block stays.
    assert_eq!(world.run(&trio[..2], Scope::Project, true), [Action::Remove, Action::Remove]);
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    assert_eq!(world.run(&trio[2..], Scope::Project, true), [Action::Remove, Action::Remove]);
    assert_eq!(tree(&world.machine.project), whole);
}

#[test]
fn a_file_that_is_read_in_place_of_another_gets_the_block() {
    let zed = find_client("zed").unwrap();
    let mut world = World::new(Os::Linux).with(RULES_ONLY);
    let rules = world.machine.project.join(".rules");
    put(&rules, EXISTING);
    world.run(&[zed], Scope::Project, false);
    assert!(fs::read_to_string(&rules).unwrap().contains(BEGIN));
    assert!(!world.machine.project.join("AGENTS.md").exists());
    world.run(&[zed], Scope::Project, true);
    assert_eq!(fs::read_to_string(&rules).unwrap(), EXISTING);
    // It came after our block: that one goes all the same.
    fs::remove_file(&rules).unwrap();
    world.run(&[zed], Scope::Project, false);
    put(&rules, EXISTING);
    world.run(&[zed], Scope::Project, true);
    assert!(!world.machine.project.join("AGENTS.md").exists());
}

#[test]
fn without_the_server_there_are_no_rules() {
    let codex = find_client("codex").unwrap();
    let mut world = World::new(Os::Linux).with(RULES_ONLY);
    put(&world.machine.home.join(".codex/config.toml"), "a 1\n");
    assert!(matches!(world.run(&[codex], Scope::User, false).as_slice(), [Action::Refuse(_)]));
    assert!(!world.machine.home.join(".codex/AGENTS.md").exists());
}

#[test]
fn each_client_has_rules_or_none_are_known() {
    let known: BTreeSet<&str> = RULES.iter().map(|rules| rules.client).collect();
    assert_eq!(known.len(), RULES.len());
    let without: Vec<&str> = clients().map(|client| client.id).filter(|id| !known.contains(id)).collect();
    assert_eq!(without, ["claude-desktop", "lm-studio", "boltai", "5ire", "witsy"]);
    for rules in RULES {
        assert!(rules.source.starts_with("https://"), "{}", rules.client);
        assert!(rules.user.is_some() || rules.project.is_some(), "{}", rules.client);
    }
}

#[test]
fn the_text_names_tools_that_exist() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/actions");
    let mut actions = 0;
    for line in RULES_TEXT.lines() {
        let names: Vec<&str> = line.split('`').skip(1).step_by(2).collect();
        for action in names.iter().filter(|name| name.contains('.')) {
            let page = fs::read_to_string(pages.join(format!("{action}.md"))).unwrap();
            let gateway = format!("through the gateway `{}`", names[0]);
            assert!(page.contains(&gateway), "{action} is not in {}", names[0]);
            let given = line.split_once('{').unwrap().1;
            for argument in
                given.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty())
            {
                assert!(page.contains(argument), "{action} has no argument {argument}");
            }
            actions += 1;
        }
    }
    assert_eq!(actions, 5);
    let page = fs::read_to_string(pages.join("symbol.search.md")).unwrap();
    assert!(page.contains("Tool `sdl_symbol_search`"));
}

/// The rows of the page about tokens.
fn costs() -> String {
    let text = count_tokens(&render_block(RULES_TEXT, "\n"));
    let skill = count_tokens(&format!("sdl: {RULES_PURPOSE}"));
    let heads = [Head::Cursor, Head::Copilot, Head::Windsurf, Head::Continue, Head::Kiro, Head::Augment];
    let most = heads.into_iter().map(|head| count_tokens(&head.text())).max().unwrap();
    format!(
        "| text | tokens | read |\n|---|---|---|\n| the rules, with their markers | {text} | in each session; as a skill \
         only when the agent opens it |\n| name and purpose of the skill | {skill} | in each session of Claude Code |\n| the \
         head of a file of our own | at most {most} | by some clients, with the rules |\n"
    )
}

#[test]
fn the_text_is_short() {
    assert!(RULES_TEXT.lines().count() <= 12);
    assert!(count_tokens(&render_block(RULES_TEXT, "\n")) <= 220);
    assert!(count_tokens(RULES_PURPOSE) <= 50);
}

#[test]
fn the_page_lists_files_and_costs() {
    assert_table(&costs());
    let mut table =
        String::from("| client | yours | a project's | known from | unconfirmed |\n|---|---|---|---|---|\n");
    let machine = Machine::new(Os::Linux, PathBuf::from("~"), PathBuf::new());
    let windows = Machine::new(Os::Windows, PathBuf::from("~"), PathBuf::new());
    for rules in RULES {
        let path = |file: Option<RuleFile>| {
            let Some(file) = file else { return String::new() };
            let path = file.path(&machine).or_else(|| file.path(&windows)).unwrap();
            let kind = if file.form == RuleForm::Block { " (block)" } else { "" };
            format!("`{}`{kind}", path.display())
        };
        writeln!(
            table,
            "| `{}` | {} | {} | [source]({}) | {} |",
            rules.client,
            path(rules.user),
            path(rules.project),
            rules.source,
            rules.unconfirmed
        )
        .unwrap();
    }
    assert_table(&table);
}
