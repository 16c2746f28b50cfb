use sdl_model::{Incarnation, Version};
use sdl_retrieve::History;
use sdl_retrieve::card::Plain;
use sdl_retrieve::diff::ChangeType;
use sdl_retrieve::refresh::{Lease, Outcome, RefreshDelta, Refreshed, refresh_slice};
use sdl_retrieve::slice::{self, Budget, SliceRequest};

use crate::ledger::MemoryLedger;
use crate::shop::{edit, shop, text};

fn lease_on(ledger: &MemoryLedger, path: &str, name: &str) -> Lease {
    let head = ledger.head();
    let request = SliceRequest { entry_symbols: vec![head.id(path, name)], ..SliceRequest::default() };
    let built = slice::build_slice(&head.source(), &request, &Plain).unwrap();
    Lease::begin(&head, head.incarnation(), &built, request).unwrap()
}

fn refreshed(ledger: &MemoryLedger, lease: &Lease, known: u64) -> Refreshed {
    refresh_slice(&ledger.head(), ledger.outlines(), lease, Version(known), &Plain).unwrap()
}

fn delta(refreshed: &Refreshed) -> &RefreshDelta {
    let Outcome::Delta(delta) = &refreshed.outcome else { panic!("no delta: {:?}", refreshed.outcome) };
    delta
}

fn told(refreshed: &Refreshed) -> Vec<(ChangeType, &str)> {
    delta(refreshed)
        .delta
        .changed_symbols
        .iter()
        .map(|change| (change.change_type, change.name.as_str()))
        .collect()
}

#[test]
fn a_literal_in_one_member_gives_that_member() {
    let mut ledger = shop();
    let lease = lease_on(&ledger, "shop/cart.py", "Cart.checkout");
    edit(&mut ledger, "shop/pricing.py", "1.5", "2.5");
    let refreshed = refreshed(&ledger, &lease, 1);
    assert_eq!(told(&refreshed), [(ChangeType::Modified, "unit_price")]);
    let change = &delta(&refreshed).delta.changed_symbols[0];
    assert!(change.body_changed && change.card.is_some());
    assert_eq!(refreshed.current, Version(2));
}

#[test]
fn edits_elsewhere_change_nothing() {
    let mut ledger = shop();
    let lease = lease_on(&ledger, "shop/cart.py", "Cart.checkout");
    edit(&mut ledger, "shop/report.py", "sold", "bought");
    let refreshed = refreshed(&ledger, &lease, 1);
    assert!(matches!(refreshed.outcome, Outcome::NotModified));
    assert_eq!((refreshed.current, refreshed.lease.current), (Version(2), Version(2)));
}

#[test]
fn moved_lines_are_reported_without_the_card() {
    let mut ledger = shop();
    let lease = lease_on(&ledger, "shop/report.py", "sales_report");
    let entry = ledger.head().id("shop/report.py", "sales_report");
    edit(&mut ledger, "shop/report.py", "import logging", "# one\n# two\nimport logging");
    let refreshed = refreshed(&ledger, &lease, 1);
    let delta = delta(&refreshed);
    assert!(delta.delta.changed_symbols.iter().all(|change| change.symbol_id != entry), "{delta:?}");
    let moved = serde_json::to_value(&delta.moved_cards).unwrap();
    assert_eq!(moved, serde_json::json!([{"file": "shop/report.py", "ranges": [[entry.to_string(), 6, 9]]}]));
}

#[test]
fn what_comes_back_is_held_again() {
    let mut ledger = shop();
    let lease = lease_on(&ledger, "shop/report.py", "sales_report");
    let content = text("shop/report.py");
    ledger.write(&[("shop/report.py", None)]);
    let gone = refreshed(&ledger, &lease, 1);
    assert!(told(&gone).contains(&(ChangeType::Removed, "sales_report")));
    ledger.write(&[("shop/report.py", Some(content.as_bytes()))]);
    let back = refreshed(&ledger, &gone.lease, 2);
    assert!(told(&back).contains(&(ChangeType::Added, "sales_report")), "{:?}", told(&back));
    assert!(matches!(refreshed(&ledger, &gone.lease, 1).outcome, Outcome::NotModified));
    edit(&mut ledger, "shop/report.py", "sold", "bought");
    assert_eq!(told(&refreshed(&ledger, &back.lease, 3)), [(ChangeType::Modified, "sales_report")]);
}

#[test]
fn a_fresh_instance_holds_what_deltas_add_up_to() {
    let mut ledger = shop();
    let lease = lease_on(&ledger, "shop/pricing.py", "apply_discount");
    let renamed = text("shop/pricing.py").replace("apply_discount", "reduce");
    ledger.write(&[("shop/pricing.py", Some(renamed.as_bytes()))]);
    let fresh = refreshed(&ledger, &lease, 99);
    let Outcome::Fresh(slice) = &fresh.outcome else { panic!("{:?}", fresh.outcome) };
    let held: Vec<&str> = slice.doc.cards.iter().map(|card| card.name.as_str()).collect();
    assert!(held.contains(&"reduce") && !held.contains(&"apply_discount"), "{held:?}");
    assert_eq!(fresh.lease.built, Version(1), "the handle is the same for its other clients");
}

#[test]
fn the_same_version_gives_nothing() {
    let ledger = shop();
    let lease = lease_on(&ledger, "shop/cart.py", "Cart.checkout");
    let again = refreshed(&ledger, &lease, 1);
    assert!(matches!(again.outcome, Outcome::NotModified));
    assert_eq!(again.lease, lease);
}

#[test]
fn a_new_callee_becomes_a_member() {
    let mut ledger = shop();
    let lease = lease_on(&ledger, "shop/pricing.py", "apply_discount");
    edit(
        &mut ledger,
        "shop/pricing.py",
        "    return total * (1 - discount)",
        "    sales_report([total])\n    return total",
    );
    // The name must be in reach.
    let pricing = "from shop.report import sales_report\n\n".to_owned()
        + &text("shop/pricing.py")
            .replace("    return total * (1", "    sales_report([])\n    return total * (1");
    ledger.write(&[("shop/pricing.py", Some(pricing.as_bytes()))]);
    let first = refreshed(&ledger, &lease, 1);
    let changed = told(&first);
    assert!(changed.contains(&(ChangeType::Modified, "apply_discount")), "{changed:?}");
    assert!(changed.contains(&(ChangeType::Added, "sales_report")), "{changed:?}");
    let report = ledger.head().id("shop/report.py", "sales_report");
    assert!(first.lease.following.has(report));
    // A client that lost the answer asks again and gets the same; one that has it gets no changes.
    assert_eq!(told(&refreshed(&ledger, &first.lease, 1)), changed);
    assert!(matches!(refreshed(&ledger, &first.lease, 3).outcome, Outcome::NotModified));
    // From now on the new member counts.
    edit(&mut ledger, "shop/report.py", "sold", "bought");
    assert_eq!(told(&refreshed(&ledger, &first.lease, 3)), [(ChangeType::Modified, "sales_report")]);
}

#[test]
fn renames_are_followed() {
    let mut ledger = shop();
    let lease = lease_on(&ledger, "shop/pricing.py", "apply_discount");
    let old = ledger.head().id("shop/pricing.py", "apply_discount");
    let renamed = text("shop/pricing.py").replace("apply_discount", "reduce");
    ledger.write(&[("shop/pricing.py", Some(renamed.as_bytes()))]);
    let refreshed = refreshed(&ledger, &lease, 1);
    let change = delta(&refreshed)
        .delta
        .changed_symbols
        .iter()
        .find(|c| c.change_type == ChangeType::Renamed)
        .unwrap();
    assert_eq!((change.name.as_str(), change.renamed_from), ("reduce", Some(old)));
    let new = ledger.head().id("shop/pricing.py", "reduce");
    assert!(refreshed.lease.following.has(new));
    assert!(
        told(&refreshed).iter().all(|(what, _)| !matches!(what, ChangeType::Added | ChangeType::Removed))
    );
}

#[test]
fn a_moved_file_is_followed() {
    let mut ledger = shop();
    let lease = lease_on(&ledger, "shop/report.py", "sales_report");
    let content = text("shop/report.py");
    ledger.write(&[("shop/report.py", None), ("shop/sales.py", Some(content.as_bytes()))]);
    let refreshed = refreshed(&ledger, &lease, 1);
    assert!(told(&refreshed).contains(&(ChangeType::Moved, "sales_report")), "{:?}", told(&refreshed));
    assert!(refreshed.lease.following.has(ledger.head().id("shop/sales.py", "sales_report")));
}

#[test]
fn removed_members_are_reported_once() {
    let mut ledger = shop();
    let lease = lease_on(&ledger, "shop/report.py", "sales_report");
    ledger.write(&[("shop/report.py", None)]);
    let first = refreshed(&ledger, &lease, 1);
    assert!(told(&first).contains(&(ChangeType::Removed, "sales_report")));
    assert!(matches!(refreshed(&ledger, &first.lease, 2).outcome, Outcome::NotModified));
    assert!(told(&refreshed(&ledger, &first.lease, 1)).contains(&(ChangeType::Removed, "sales_report")));
}

#[test]
fn an_edit_and_its_undoing_cancel_out() {
    let mut ledger = shop();
    let lease = lease_on(&ledger, "shop/cart.py", "Cart.checkout");
    edit(&mut ledger, "shop/pricing.py", "1.5", "2.5");
    let between = refreshed(&ledger, &lease, 1);
    edit(&mut ledger, "shop/pricing.py", "1.5", "1.5");
    assert!(matches!(refreshed(&ledger, &between.lease, 1).outcome, Outcome::NotModified));
    assert_eq!(told(&refreshed(&ledger, &between.lease, 2)), [(ChangeType::Modified, "unit_price")]);
}

#[test]
fn versions_that_cannot_be_compared_give_a_fresh_slice() {
    let mut ledger = shop();
    let lease = lease_on(&ledger, "shop/cart.py", "Cart.checkout");
    edit(&mut ledger, "shop/pricing.py", "1.5", "2.5");
    let fresh = |ledger: &MemoryLedger, lease: &Lease, known| {
        let refreshed = refreshed(ledger, lease, known);
        let Outcome::Fresh(slice) = &refreshed.outcome else { panic!("{:?}", refreshed.outcome) };
        assert!(!slice.doc.cards.is_empty());
        refreshed.lease.built
    };
    assert_eq!(fresh(&ledger, &lease, 9), Version(1));
    assert_eq!(fresh(&ledger, &lease, 0), Version(1));
    // Versions since the build are lost: the slice is built again.
    let rebuilt = fresh(&ledger, &Lease { incarnation: Incarnation(8), ..lease.clone() }, 1);
    assert_eq!(rebuilt, Version(2));
    ledger.floor = Version(2);
    assert_eq!(fresh(&ledger, &lease, 1), Version(2));
}

#[test]
fn a_small_budget_gives_etags_for_cards() {
    let mut ledger = shop();
    let mut lease = lease_on(&ledger, "shop/cart.py", "Cart.checkout");
    lease.request.budget = Budget { max_cards: 10, max_estimated_tokens: 420 };
    let pricing = text("shop/pricing.py").replace("total", "sum_of_all").replace("1.5", "2");
    ledger.write(&[("shop/pricing.py", Some(pricing.as_bytes()))]);
    let refreshed = refreshed(&ledger, &lease, 1);
    let delta = delta(&refreshed);
    assert!(!delta.spilled.is_empty());
    let tokens =
        sdl_tokens::count_tokens(&serde_json::to_string(&delta.to_object().unwrap()).unwrap()) as u32;
    assert_eq!(delta.tokens, tokens);
    assert!(delta.delta.changed_symbols.iter().any(|change| change.etag.is_some() && change.card.is_none()));
}

#[test]
fn leases_survive_their_stored_form() {
    let ledger = shop();
    let mut lease = lease_on(&ledger, "shop/cart.py", "Cart.checkout");
    lease.request.known_card_etags.insert(sdl_model::SymbolId(u64::MAX), "full-x".into());
    assert_eq!(Lease::from_bytes(&lease.to_bytes()), Some(lease.clone()));
    assert_eq!(Lease::from_bytes(&[]), None);
    assert_eq!(Lease::from_bytes(&[99, 1, 2]), None);
    assert_eq!(Lease::from_bytes(&lease.to_bytes()[..20]), None);
}
