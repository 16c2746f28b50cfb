//! A past version as a layer over the newest reads like that version itself.

use std::ops::ControlFlow;

use sdl_ledger::View;
use sdl_model::{FileId, RelPath, SymbolId, Version};
use sdl_retrieve::diff::{Change, ChangedSymbol, changed_symbols};
use sdl_retrieve::layer::{Between, Laid, Layer};
use sdl_retrieve::{History, Source};

use crate::ledger::MemoryLedger;
use crate::shop::{edit, shop, text};

/// Four versions: an edit, a rename with a file that moves, a removal.
fn history() -> MemoryLedger {
    let mut ledger = shop();
    edit(&mut ledger, "shop/pricing.py", "1.5", "2.5");
    let renamed = text("shop/pricing.py").replace("apply_discount", "reduce");
    let report = text("shop/report.py");
    ledger.write(&[
        ("shop/pricing.py", Some(renamed.as_bytes())),
        ("shop/report.py", None),
        ("shop/reports/sales.py", Some(report.as_bytes())),
    ]);
    ledger.write(&[("tests/test_cart.py", None), ("shop/errors.py", Some(b"class OutOfStock: pass\n"))]);
    ledger
}

fn under(view: &dyn View) -> Vec<(FileId, String)> {
    let mut files = Vec::new();
    view.files_under("shop/", &mut |id, path| {
        files.push((id, path.to_owned()));
        ControlFlow::Continue(())
    })
    .unwrap();
    files
}

#[test]
fn a_layer_reads_like_its_version() {
    let ledger = history();
    let head = ledger.head();
    let paths = ["shop/pricing.py", "shop/report.py", "shop/reports/sales.py", "tests/test_cart.py"];
    let files: Vec<FileId> = paths.iter().map(|path| FileId::of(&RelPath::new(path).unwrap())).collect();
    for version in 1..=4 {
        let then = ledger.at(Version(version));
        let layer = Layer::of_version(&head, ledger.outlines(), Version(version)).unwrap();
        let laid = Laid::new(&head, &layer);
        let mut symbols: Vec<SymbolId> = Vec::new();
        for at in 1..=4 {
            let view = ledger.at(Version(at));
            let source = Source::new(&view, ledger.outlines());
            for (file, _) in under(&view) {
                symbols.extend(source.symbols_of(file).unwrap().iter().map(|sym| sym.id));
            }
        }
        for symbol in symbols {
            assert_eq!(laid.symbol_home(symbol).unwrap(), then.symbol_home(symbol).unwrap());
            assert_eq!(laid.out_edges(symbol).unwrap(), then.out_edges(symbol).unwrap());
            assert_eq!(laid.in_edges(symbol, 200).unwrap(), then.in_edges(symbol, 200).unwrap());
            assert_eq!(laid.fan_in(symbol).unwrap(), then.fan_in(symbol).unwrap());
        }
        for file in &files {
            assert_eq!(laid.file(*file).unwrap(), then.file(*file).unwrap());
        }
        for name in ["reduce", "apply_discount", "sales_report", "ShopError", "OutOfStock", "test_checkout"] {
            assert_eq!(laid.named(name).unwrap(), then.named(name).unwrap(), "{name} at {version}");
        }
        for name in ["report.py", "sales.py", "test_cart.py", "stock.py"] {
            assert_eq!(laid.files_named(name).unwrap(), then.files_named(name).unwrap());
        }
        for dir in ["shop", "shop/reports", "tests", ""] {
            assert_eq!(laid.files_in_dir(dir).unwrap(), then.files_in_dir(dir).unwrap());
        }
        assert_eq!(under(&laid), under(&then));
    }
}

#[test]
fn any_two_versions_are_compared_either_way() {
    let ledger = history();
    let head = ledger.head();
    let layer = |version| Layer::of_version(&head, ledger.outlines(), Version(version)).unwrap();
    let told = |found: Vec<Change>| -> Vec<ChangedSymbol> { found.iter().map(Change::to_wire).collect() };
    for (from, to) in [(1, 2), (1, 3), (2, 3), (3, 4), (1, 4), (2, 4)] {
        let then = ledger.at(Version(to));
        let changes = head.changes_between(Version(from), Version(to)).unwrap();
        let range = (Version(from), Version(to));
        let plain = told(changed_symbols(&then, ledger.outlines(), range, &changes).unwrap());
        let (a, b) = (layer(from), layer(to));
        let between = Between::new(&head, &a, &b);
        let changes = between.changes().unwrap();
        let range = (Between::FROM, Between::TO);
        let found = told(changed_symbols(&between, ledger.outlines(), range, &changes).unwrap());
        assert_eq!(found, plain, "{from} to {to}");
        // Backwards, what came is what went.
        let back = Between::new(&head, &b, &a);
        let changes = back.changes().unwrap();
        let reverse = told(changed_symbols(&back, ledger.outlines(), range, &changes).unwrap());
        assert_eq!(reverse.len(), found.len(), "{from} to {to}");
    }
}
