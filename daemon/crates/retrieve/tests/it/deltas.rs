use sdl_model::{SymbolId, Version};
use sdl_retrieve::card::{Enrichment, Plain};
use sdl_retrieve::diff::{
    BlastQuestion, Change, ChangeType, ChangedSymbol, FanIn, blast_radius, changed_symbols,
};
use sdl_retrieve::{History, Source};

use crate::ledger::MemoryLedger;
use crate::shop::{edit, shop, text};

/// The changes since the first version, without modules.
fn changes(ledger: &MemoryLedger) -> Vec<ChangedSymbol> {
    let head = ledger.head();
    let changes = head.changes_between(Version(1), sdl_ledger::View::version(&head)).unwrap();
    let range = (Version(1), sdl_ledger::View::version(&head));
    let found = changed_symbols(&head, ledger.outlines(), range, &changes).unwrap();
    found.iter().map(Change::to_wire).filter(|change| change.kind != sdl_model::SymbolKind::Module).collect()
}

fn told(changes: &[ChangedSymbol]) -> Vec<(ChangeType, &str)> {
    changes.iter().map(|change| (change.change_type, change.name.as_str())).collect()
}

#[test]
fn a_literal() {
    let mut ledger = shop();
    edit(&mut ledger, "shop/pricing.py", "1.5", "2.5");
    let found = changes(&ledger);
    assert_eq!(told(&found), [(ChangeType::Modified, "unit_price")]);
    assert!(found[0].body_changed && found[0].tiers.interface_stable && !found[0].tiers.behavior_stable);
}

#[test]
fn moved_lines_change_nothing() {
    let mut ledger = shop();
    edit(&mut ledger, "shop/pricing.py", "def unit_price", "\n\n\ndef unit_price");
    assert_eq!(changes(&ledger), []);
}

#[test]
fn a_signature() {
    let mut ledger = shop();
    edit(
        &mut ledger,
        "shop/pricing.py",
        "def unit_price(sku: str)",
        "def unit_price(sku: str, currency: str = \"EUR\")",
    );
    let found = changes(&ledger);
    assert_eq!(told(&found), [(ChangeType::Modified, "unit_price")]);
    let diff = found[0].signature_diff.as_ref().unwrap();
    assert!(!diff.before.contains("currency") && diff.after.contains("currency"));
    assert!(!found[0].body_changed && !found[0].tiers.interface_stable && found[0].tiers.behavior_stable);
}

#[test]
fn invariants_and_side_effects() {
    let mut ledger = shop();
    edit(
        &mut ledger,
        "shop/pricing.py",
        "    if not 0 <= discount < 1:\n        raise ValueError(\"discount out of range\")\n",
        "    open(\"log\").read()\n",
    );
    let found = changes(&ledger);
    assert_eq!(told(&found), [(ChangeType::Modified, "apply_discount")]);
    assert!(!found[0].invariant_diff.as_ref().unwrap().removed.is_empty());
    assert!(!found[0].side_effect_diff.as_ref().unwrap().added.is_empty());
    assert!(!found[0].tiers.side_effects_stable);
}

#[test]
fn a_rename() {
    let mut ledger = shop();
    let old = ledger.head().id("shop/pricing.py", "apply_discount");
    let renamed = text("shop/pricing.py").replace("apply_discount", "reduce");
    ledger.write(&[("shop/pricing.py", Some(renamed.as_bytes()))]);
    let found = changes(&ledger);
    assert_eq!(told(&found), [(ChangeType::Modified, "total_price"), (ChangeType::Renamed, "reduce")]);
    assert_eq!(found[1].renamed_from, Some(old));
    assert_eq!(found[1].previous_name.as_deref(), Some("apply_discount"));
}

#[test]
fn a_function_that_becomes_a_value_is_the_same_thing_under_another_id() {
    let mut ledger = shop();
    let old = ledger.head().id("shop/pricing.py", "apply_discount");
    let pricing = text("shop/pricing.py");
    let start = pricing.find("def apply_discount").unwrap();
    let end = start + pricing[start..].find("\n\n\n").unwrap_or(pricing.len() - start);
    let pricing = format!("{}apply_discount = make_discount(2)\n{}", &pricing[..start], &pricing[end..]);
    ledger.write(&[("shop/pricing.py", Some(pricing.as_bytes()))]);
    let found = changes(&ledger);
    let change = found.iter().find(|change| change.name == "apply_discount").unwrap();
    assert_eq!((change.change_type, change.renamed_from), (ChangeType::Modified, Some(old)));
    assert!(
        found.iter().all(|change| !matches!(change.change_type, ChangeType::Added | ChangeType::Removed)),
        "{:?}",
        told(&found)
    );
}

#[test]
fn a_moved_file() {
    let mut ledger = shop();
    let old = ledger.head().id("shop/report.py", "sales_report");
    let content = text("shop/report.py");
    ledger.write(&[("shop/report.py", None), ("shop/reports/sales.py", Some(content.as_bytes()))]);
    let found = changes(&ledger);
    assert_eq!(told(&found), [(ChangeType::Moved, "sales_report")]);
    assert_eq!(found[0].renamed_from, Some(old));
    assert_eq!(found[0].previous_file.as_deref(), Some("shop/report.py"));
    assert!(!found[0].body_changed);
}

#[test]
fn a_function_cut_from_one_file_and_pasted_into_another() {
    let mut ledger = shop();
    let body = "\n\ndef parse_counts(text: str) -> dict:\n    counts = {}\n    for line in text.splitlines():\n        sku, _, count = line.partition(\"=\")\n        counts[sku] = int(count)\n    return counts\n";
    let (stock, errors) = (text("shop/stock.py"), text("shop/errors.py"));
    assert!(stock.contains(body));
    let (stock, errors) = (stock.replace(body, ""), format!("{errors}{body}"));
    ledger.write(&[("shop/stock.py", Some(stock.as_bytes())), ("shop/errors.py", Some(errors.as_bytes()))]);
    let found = changes(&ledger);
    let moved: Vec<_> = found.iter().filter(|change| change.change_type == ChangeType::Moved).collect();
    assert_eq!(moved.len(), 1, "{:?}", told(&found));
    assert_eq!((moved[0].name.as_str(), moved[0].file.as_str()), ("parse_counts", "shop/errors.py"));
    assert!(
        found.iter().all(|change| !matches!(change.change_type, ChangeType::Added | ChangeType::Removed))
    );
}

#[test]
fn additions_and_removals_that_are_no_rename() {
    let mut ledger = shop();
    let pricing = text("shop/pricing.py");
    let start = pricing.find("def unit_price").unwrap();
    let end = pricing.find("def total_price").unwrap();
    let pricing = format!(
        "{}class Tax:\n    rate = 0.2\n\n    def of(self, amount, country, year):\n        return amount * self.rate\n\n\n{}",
        &pricing[..start],
        &pricing[end..]
    );
    ledger.write(&[("shop/pricing.py", Some(pricing.as_bytes()))]);
    let found = changes(&ledger);
    let of = |what| {
        found.iter().filter(move |c| c.change_type == what).map(|c| c.name.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(of(ChangeType::Removed), ["unit_price"]);
    assert!(of(ChangeType::Added).contains(&"Tax") && of(ChangeType::Added).contains(&"Tax.of"));
    assert_eq!(of(ChangeType::Renamed), Vec::<&str>::new());
}

#[test]
fn the_blast_radius_ranks_dependents() {
    let mut ledger = shop();
    let v2 = edit(
        &mut ledger,
        "shop/pricing.py",
        "def unit_price(sku: str)",
        "def unit_price(sku: str, tax: float)",
    );
    let head = ledger.head();
    let changes = head.changes_between(Version(1), v2).unwrap();
    let changed = changed_symbols(&head, ledger.outlines(), (Version(1), v2), &changes).unwrap();
    let fan_in = FanIn::between(&head, Version(1), &changes).unwrap();
    let question = BlastQuestion {
        from: Version(1),
        changes: &changes,
        changed: &changed,
        fan_in: &fan_in,
        enrichment: &Plain,
        most: 20,
    };
    let blast = blast_radius(&head.source(), &head, &question).unwrap();
    let told: Vec<(&str, u32)> = blast.iter().map(|item| (item.name.as_str(), item.distance)).collect();
    assert_eq!(told[0], ("total_price", 1));
    assert!(told.contains(&("Cart.checkout", 2)), "{told:?}");
    assert!(blast.iter().all(|item| item.name != "unit_price"));
    assert_eq!(blast[0].reason, "calls unit_price, which asks for more parameters now");
}

/// Everything that one symbol's processes know of.
struct Runs(&'static str);

impl Enrichment for Runs {
    fn processes(&self, source: &Source<'_>, symbol: SymbolId) -> sdl_retrieve::Result<Vec<String>> {
        let runs = source.symbol(symbol)?.is_some_and(|sym| sym.name() == self.0);
        Ok(if runs { vec!["main > a".to_owned(), "main > b".to_owned()] } else { Vec::new() })
    }
}

#[test]
fn of_two_alike_the_tested_one_and_the_one_in_a_process_come_first() {
    let mut ledger = MemoryLedger::new(
        "//- /base.py\ndef base(x):\n    return x\n//- /users.py\nfrom base import base\n\n\ndef one():\n    return base(1)\n\n\ndef two():\n    return base(1)\n\n\ndef three():\n    return base(1)\n//- /tests/test_users.py\nfrom users import three\n\n\ndef test_three():\n    assert three()\n",
    );
    let v2 = ledger.write(&[("base.py", Some(b"def base(x, y):\n    return x\n"))]);
    let head = ledger.head();
    let changes = head.changes_between(Version(1), v2).unwrap();
    let changed = changed_symbols(&head, ledger.outlines(), (Version(1), v2), &changes).unwrap();
    let fan_in = FanIn::between(&head, Version(1), &changes).unwrap();
    let order = |enrichment: &dyn Enrichment, most: usize| -> Vec<String> {
        let (from, changes, changed, fan_in) = (Version(1), &changes, &changed, &fan_in);
        let question = BlastQuestion { from, changes, changed, fan_in, enrichment, most };
        let blast = blast_radius(&head.source(), &head, &question).unwrap();
        let functions = ["one", "two", "three"];
        blast
            .into_iter()
            .filter(|item| functions.contains(&item.name.as_str()))
            .map(|item| item.name)
            .collect()
    };
    for (runs, last) in [("one", "two"), ("two", "one")] {
        let told = order(&Runs(runs), 20);
        assert_eq!((told[0].as_str(), told[1].as_str(), told[2].as_str()), ("three", runs, last), "{told:?}");
        assert_eq!(order(&Runs(runs), 2), told[..2], "also of those that are told");
    }
}

fn renamed_sources(ledger: &mut MemoryLedger, from: &str, to: &str, renames: &[(&str, &str)]) {
    let mut content = text(from);
    for (old, new) in renames {
        content = content.replace(old, new);
    }
    ledger.write(&[(from, None), (to, Some(content.as_bytes()))]);
}

#[test]
fn comments_and_layout_are_no_change() {
    let mut ledger = shop();
    let old = "    if not 0 <= discount < 1:\n        raise";
    let new = "    # Sanity.\n    if not 0 <= discount < 1:  # a share\n\n          raise";
    edit(&mut ledger, "shop/pricing.py", old, new);
    assert_eq!(changes(&ledger), []);
    let head = ledger.head();
    let changed = head.changes_between(Version(1), Version(2)).unwrap();
    assert_eq!(changed.files.len(), 1, "though the file changed");
}

#[test]
fn documentation_is_a_change_that_affects_nobody() {
    let mut ledger = shop();
    edit(&mut ledger, "shop/pricing.py", "The price of one item.", "What one item costs.");
    let found = changes(&ledger);
    assert_eq!(told(&found), [(ChangeType::Modified, "unit_price")]);
    assert!(found[0].doc_changed && !found[0].body_changed);
    assert_eq!(found[0].tiers, sdl_retrieve::diff::Tiers::STABLE);
    assert_eq!(blast(&ledger), []);
}

/// Who is affected since the first version, and why.
fn blast(ledger: &MemoryLedger) -> Vec<(String, String)> {
    let head = ledger.head();
    let to = sdl_ledger::View::version(&head);
    let changes = head.changes_between(Version(1), to).unwrap();
    let mut changed = changed_symbols(&head, ledger.outlines(), (Version(1), to), &changes).unwrap();
    changed.retain(Change::is_edit);
    let fan_in = FanIn::between(&head, Version(1), &changes).unwrap().following(&changed);
    let question = BlastQuestion {
        from: Version(1),
        changes: &changes,
        changed: &changed,
        fan_in: &fan_in,
        enrichment: &Plain,
        most: 50,
    };
    let blast = blast_radius(&head.source(), &head, &question).unwrap();
    blast.into_iter().map(|item| (item.name, item.reason)).collect()
}

#[test]
fn a_file_and_a_function_in_it_renamed_at_once() {
    let mut ledger = shop();
    let old = ledger.head().id("shop/stock.py", "parse_counts");
    let renames = [("parse_counts", "read_amounts"), ("counts = {}", "counts = {}")];
    renamed_sources(&mut ledger, "shop/stock.py", "shop/store.py", &renames);
    let found = changes(&ledger);
    let renamed = found.iter().find(|change| change.name == "read_amounts").unwrap();
    assert_eq!((renamed.change_type, renamed.renamed_from), (ChangeType::Renamed, Some(old)));
}

#[test]
fn a_class_follows_its_methods_under_another_name() {
    let class = |name: &str| {
        format!(
            "class {name}:\n    def add(self, item):\n        self.items.append(item)\n\n    def count(self):\n        return len(self.items)\n"
        )
    };
    let mut ledger = MemoryLedger::new(&format!("//- /a.py\n{}", class("Basket")));
    ledger.write(&[("a.py", None), ("b.py", Some(class("Trolley").as_bytes()))]);
    let found = changes(&ledger);
    let what: Vec<_> = found.iter().map(|change| (change.change_type, change.name.as_str())).collect();
    let moved = |name| (ChangeType::Moved, name);
    let wanted = [(ChangeType::Renamed, "Trolley"), moved("Trolley.add"), moved("Trolley.count")];
    assert_eq!(what, wanted);
}

#[test]
fn two_functions_with_the_same_body_are_not_paired_by_it() {
    let one =
        |name: &str| format!("def {name}(first, second):\n    return first.amount * second.amount\n\n\n");
    let mut ledger = MemoryLedger::new(&format!("//- /a.py\n{}{}", one("area"), one("volume")));
    let text = format!("{}{}", one("surface"), one("space"));
    ledger.write(&[("a.py", None), ("b.py", Some(text.as_bytes()))]);
    let what: Vec<ChangeType> = changes(&ledger).iter().map(|change| change.change_type).collect();
    assert!(!what.contains(&ChangeType::Renamed), "{what:?}");
}

#[test]
fn what_moved_was_renamed_or_changed_its_header_is_not_gone() {
    let base = "//- /a.py\ndef helper(first):\n    return first.amount * first.amount\n//- /b.py\nfrom a import helper\n\n\ndef user(x):\n    return helper(x)\n";
    let helper = "def helper(first):\n    return first.amount * first.amount\n";
    let why = |writes: &[(&str, Option<&str>)]| {
        let mut ledger = MemoryLedger::new(base);
        let writes: Vec<_> = writes.iter().map(|(path, text)| (*path, text.map(str::as_bytes))).collect();
        ledger.write(&writes);
        let found = blast(&ledger).into_iter().find(|(name, _)| name == "user");
        found.map_or("unaffected".to_owned(), |(_, reason)| reason)
    };
    let moved_import = "from c import helper\n\n\ndef user(x):\n    return helper(x)\n";
    assert_eq!(why(&[("a.py", None), ("c.py", Some(helper)), ("b.py", Some(moved_import))]), "unaffected");
    assert_eq!(why(&[("a.py", None), ("c.py", Some(helper))]), "called helper, which moved to c.py");
    let renamed = helper.replace("helper", "squared");
    assert_eq!(why(&[("a.py", Some(&renamed))]), "called helper, which is squared now");
    let longer = helper.replace("(first)", "(first, second)");
    assert_eq!(why(&[("a.py", Some(&longer))]), "calls helper, which asks for more parameters now");
    assert_eq!(why(&[("a.py", Some("x = 1\n"))]), "called helper, which is gone");
}

#[test]
fn a_parameter_more_makes_another_overload_and_not_a_loss() {
    let reader = |params: &str| {
        format!(
            "class Reader {{\n    int peek({params}) {{\n        int found = this.scan(3);\n        return found + 1;\n    }}\n\n    int scan(int n) {{ return n; }}\n}}\n"
        )
    };
    let user = "class User {\n    int read(Reader reader) {\n        return reader.peek(1);\n    }\n}\n";
    let mut ledger =
        MemoryLedger::new(&format!("//- /Reader.java\n{}//- /User.java\n{user}", reader("int a")));
    ledger.write(&[("Reader.java", Some(reader("int a, String b").as_bytes()))]);
    let found = blast(&ledger);
    let (_, reason) = found.iter().find(|(name, _)| name.ends_with("read")).unwrap();
    assert!(reason.contains("asks for more parameters now") && !reason.contains("gone"), "{found:?}");
}

#[test]
fn a_decorator_comes_with_both_headers() {
    let mut ledger = shop();
    edit(&mut ledger, "shop/pricing.py", "def unit_price", "@cached(1)\ndef unit_price");
    let found = changes(&ledger);
    assert_eq!(told(&found), [(ChangeType::Modified, "unit_price")]);
    assert!(!found[0].tiers.interface_stable && !found[0].body_changed);
    let diff = found[0].signature_diff.as_ref().unwrap();
    assert!(!diff.before.contains("cached") && diff.after.starts_with("@cached "), "{diff:?}");
}

#[test]
fn moves_renames_and_new_symbols_are_no_growth() {
    let base = "//- /a.py\ndef helper(first):\n    return first.amount * first.amount\n\n\ndef one(x):\n    return helper(x)\n\n\ndef two(x):\n    return helper(x)\n\n\ndef three(x):\n    return helper(x)\n";
    let text = base.split_once('\n').unwrap().1;
    let grown = |writes: &[(&str, Option<&str>)]| {
        let mut ledger = MemoryLedger::new(base);
        let writes: Vec<_> = writes.iter().map(|(path, text)| (*path, text.map(str::as_bytes))).collect();
        let to = ledger.write(&writes);
        let head = ledger.head();
        let changes = head.changes_between(Version(1), to).unwrap();
        let changed = changed_symbols(&head, ledger.outlines(), (Version(1), to), &changes).unwrap();
        let fan_in = FanIn::between(&head, Version(1), &changes).unwrap().following(&changed);
        let grown = fan_in.amplifiers(&head, 5).unwrap().into_iter();
        grown.map(|(id, trend)| (head.name(id), trend.previous, trend.current)).collect::<Vec<_>>()
    };
    assert_eq!(grown(&[("a.py", None), ("b/c.py", Some(text))]), []);
    assert_eq!(grown(&[("a.py", Some(&text.replace("helper", "squared")))]), []);
    let more = "\n\ndef fresh(x):\n    return x\n\n\ndef four(x):\n    return fresh(fresh(x))\n\n\ndef five(x):\n    return fresh(x)\n";
    assert_eq!(grown(&[("a.py", Some(&format!("{text}{more}")))]), []);
    let more = "\n\ndef four(x):\n    return helper(x)\n\n\ndef five(x):\n    return helper(x)\n";
    let renamed = format!("{text}{more}").replace("helper", "squared");
    assert_eq!(grown(&[("a.py", Some(&renamed))]), [("squared".to_owned(), 3, 5)]);
    let few = "def helper(x):\n    return x\n".to_owned()
        + &(0..40).map(|at| format!("\n\ndef f{at}(x):\n    return helper(x)\n")).collect::<String>();
    let mut ledger = MemoryLedger::new(&format!("//- /a.py\n{few}"));
    let to = ledger.write(&[("a.py", Some(format!("{few}{more}").as_bytes()))]);
    let head = ledger.head();
    let changes = head.changes_between(Version(1), to).unwrap();
    let fan_in = FanIn::between(&head, Version(1), &changes).unwrap();
    assert!(fan_in.amplifiers(&head, 5).unwrap().is_empty(), "two more of forty is no growth to speak of");
}

#[test]
fn growing_fan_in_is_seen() {
    let mut ledger = shop();
    let more = "\n\ndef a():\n    return unit_price(\"a\")\n\n\ndef b():\n    return unit_price(\"b\")\n";
    let pricing = text("shop/pricing.py") + more;
    let v2 = ledger.write(&[("shop/pricing.py", Some(pricing.as_bytes()))]);
    let head = ledger.head();
    let changes = head.changes_between(Version(1), v2).unwrap();
    let fan_in = FanIn::between(&head, Version(1), &changes).unwrap();
    let (symbol, trend) = fan_in.amplifiers(&head, 5).unwrap()[0];
    assert_eq!(head.name(symbol), "unit_price");
    assert_eq!(trend.current, trend.previous + 2);
}
