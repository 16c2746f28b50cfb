//! The same small shop in three languages, with edits of it and requests about it.

use sdl_model::SymbolId;
use sdl_retrieve::slice::SliceRequest;

use crate::ledger::{At, files};
use crate::shop::SHOP;

/// A tree that random histories start from.
pub(crate) struct Tree {
    pub(crate) files: Vec<(String, String)>,
    /// A file, a text in it, and what replaces that text.
    pub(crate) edits: &'static [(&'static str, &'static str, &'static str)],
    /// One line of comment.
    pub(crate) comment: &'static str,
    entries: [(&'static str, &'static str); 4],
    stack_trace: &'static str,
    failing_test: &'static str,
    edited: &'static str,
}

/// How many ways there are to build a slice.
pub(crate) const WAYS: usize = 8;

impl Tree {
    /// One of the trees.
    pub(crate) fn of(number: usize) -> Self {
        match number % 3 {
            0 => python(),
            1 => typescript(),
            _ => rust(),
        }
    }

    /// A request that builds a slice in one of the ways.
    pub(crate) fn request(&self, head: &At<'_>, way: usize) -> SliceRequest {
        let entry = |(path, name): (&str, &str)| -> Vec<SymbolId> { vec![head.id(path, name)] };
        let base = SliceRequest::default();
        match way % WAYS {
            way @ 0..=3 => SliceRequest { entry_symbols: entry(self.entries[way]), ..base },
            4 => SliceRequest { task_text: Some("check out the cart with a discount".into()), ..base },
            5 => SliceRequest { stack_trace: Some(self.stack_trace.into()), ..base },
            6 => SliceRequest { failing_test_path: Some(self.failing_test.into()), ..base },
            _ => SliceRequest { edited_files: vec![self.edited.into()], ..base },
        }
    }
}

fn python() -> Tree {
    Tree {
        files: files(SHOP),
        edits: &[
            ("shop/pricing.py", "1.5", "2.5"),
            ("shop/pricing.py", "unit_price", "price_of"),
            ("shop/pricing.py", "(1 - discount)", "(1 - discount) + unit_price(\"x\")"),
            ("shop/pricing.py", "def unit_price", "# moved\n\ndef unit_price"),
            (
                "shop/pricing.py",
                "discount: float) -> float:\n    if",
                "discount: float, tax: float = 0) -> float:\n    if",
            ),
            ("shop/stock.py", "LIMIT = 10", "LIMIT = 11"),
            ("shop/stock.py", "class Warehouse", "class Depot"),
            (
                "shop/stock.py",
                "        return amount\n",
                "        parse_counts(sku)\n        return amount\n",
            ),
            (
                "shop/stock.py",
                "def parse_counts(text: str) -> dict:\n",
                "def parse_counts(text: str) -> dict:\n    \"\"\"Parses.\"\"\"\n",
            ),
            (
                "shop/stock.py",
                "def load_warehouse",
                "def available(x):\n    return x\n\n\ndef load_warehouse",
            ),
            ("shop/cart.py", "        self.items = []\n        return price", "        return price"),
            ("shop/cart.py", "def checkout", "def pay"),
            ("shop/cart.py", "total_price(self.items, discount)", "0"),
            ("shop/cart.py", "class Cart:", "class Cart"),
            ("shop/report.py", "sold", "bought"),
        ],
        comment: "# A comment.\n",
        entries: [
            ("shop/cart.py", "Cart.checkout"),
            ("shop/stock.py", "Warehouse.reserve"),
            ("shop/pricing.py", "total_price"),
            ("shop/cart.py", ""),
        ],
        stack_trace: "Traceback (most recent call last):\n  File \"shop/pricing.py\", line 12, in total_price\nValueError: x\n",
        failing_test: "tests/test_cart.py",
        edited: "shop/pricing.py",
    }
}

const TYPESCRIPT: &str = "
//- /src/errors.ts
/** Anything that the shop refuses. */
export class ShopError extends Error {}

export class OutOfStock extends ShopError {}
//- /src/stock.ts
import { OutOfStock } from './errors';

export const LIMIT = 10;

/** Knows how much of everything there is. */
export class Warehouse {
    constructor(private counts: Map<string, number>) {}

    /** How many are left. */
    available(sku: string): number {
        return this.counts.get(sku) ?? 0;
    }

    reserve(sku: string, amount: number = 1): number {
        if (this.available(sku) < amount) {
            throw new OutOfStock(sku);
        }
        return amount;
    }
}

export function loadWarehouse(text: string): Warehouse {
    return new Warehouse(parseCounts(text));
}

export function parseCounts(text: string): Map<string, number> {
    const counts = new Map<string, number>();
    for (const line of text.split('\\n')) {
        counts.set(line, 1);
    }
    return counts;
}
//- /src/pricing.ts
export function unitPrice(sku: string): number {
    return sku.length * 1.5;
}

export function applyDiscount(total: number, discount: number): number {
    return total * (1 - discount);
}

export function totalPrice(items: string[], discount: number): number {
    let total = 0;
    for (const item of items) {
        total += unitPrice(item);
    }
    return applyDiscount(total, discount);
}
//- /src/cart.ts
import { totalPrice } from './pricing';
import { Warehouse } from './stock';

export class Cart {
    items: string[] = [];

    constructor(private warehouse: Warehouse) {}

    add(sku: string): void {
        this.warehouse.reserve(sku);
        this.items.push(sku);
    }

    /** Sells what is in the cart. */
    checkout(discount: number): number {
        const price = totalPrice(this.items, discount);
        this.items = [];
        return price;
    }
}
//- /src/report.ts
import { Cart } from './cart';

export function salesReport(carts: Cart[]): number {
    let sold = 0;
    for (const cart of carts) {
        sold += cart.checkout(0);
    }
    return sold;
}
//- /tests/cart.test.ts
import { Cart } from '../src/cart';

test('checkout', () => {
    expect(new Cart(null).checkout(0.5)).toBe(0);
});
";

fn typescript() -> Tree {
    Tree {
        files: files(TYPESCRIPT),
        edits: &[
            ("src/pricing.ts", "1.5", "2.5"),
            ("src/pricing.ts", "unitPrice", "priceOf"),
            ("src/pricing.ts", "(1 - discount)", "(1 - discount) + unitPrice('x')"),
            ("src/pricing.ts", "export function unitPrice", "// moved\n\nexport function unitPrice"),
            (
                "src/pricing.ts",
                "discount: number): number {\n    let",
                "discount: number, tax = 0): number {\n    let",
            ),
            ("src/stock.ts", "LIMIT = 10", "LIMIT = 11"),
            ("src/stock.ts", "class Warehouse", "class Depot"),
            (
                "src/stock.ts",
                "        return amount;\n",
                "        parseCounts(sku);\n        return amount;\n",
            ),
            ("src/stock.ts", "export function parseCounts", "/** Parses. */\nexport function parseCounts"),
            (
                "src/stock.ts",
                "export function loadWarehouse",
                "export function available() {}\n\nexport function loadWarehouse",
            ),
            ("src/cart.ts", "        this.items = [];\n        return", "        return"),
            ("src/cart.ts", "checkout(discount", "pay(discount"),
            ("src/cart.ts", "totalPrice(this.items, discount)", "0"),
            ("src/cart.ts", "export class Cart {", "export class Cart"),
            ("src/report.ts", "sold", "bought"),
        ],
        comment: "// A comment.\n",
        entries: [
            ("src/cart.ts", "Cart.checkout"),
            ("src/stock.ts", "Warehouse.reserve"),
            ("src/pricing.ts", "totalPrice"),
            ("src/cart.ts", ""),
        ],
        stack_trace: "Error: x\n    at totalPrice (src/pricing.ts:12:9)\n    at Cart.checkout (src/cart.ts:16:23)\n",
        failing_test: "tests/cart.test.ts",
        edited: "src/pricing.ts",
    }
}

const RUST: &str = "
//- /src/lib.rs
pub mod cart;
pub mod errors;
pub mod pricing;
pub mod report;
pub mod stock;
//- /src/errors.rs
/// Anything that the shop refuses.
pub enum ShopError {
    OutOfStock(String),
}
//- /src/stock.rs
use crate::errors::ShopError;

pub const LIMIT: u32 = 10;

/// Knows how much of everything there is.
pub struct Warehouse {
    counts: Vec<(String, u32)>,
}

impl Warehouse {
    /// How many are left.
    pub fn available(&self, sku: &str) -> u32 {
        self.counts.iter().filter(|(known, _)| known == sku).map(|(_, count)| count).sum()
    }

    pub fn reserve(&mut self, sku: &str, amount: u32) -> Result<u32, ShopError> {
        if self.available(sku) < amount {
            return Err(ShopError::OutOfStock(sku.to_owned()));
        }
        Ok(amount)
    }
}

pub fn load_warehouse(text: &str) -> Warehouse {
    Warehouse { counts: parse_counts(text) }
}

pub fn parse_counts(text: &str) -> Vec<(String, u32)> {
    text.lines().map(|line| (line.to_owned(), 1)).collect()
}
//- /src/pricing.rs
pub fn unit_price(sku: &str) -> f64 {
    sku.len() as f64 * 1.5
}

pub fn apply_discount(total: f64, discount: f64) -> f64 {
    total * (1.0 - discount)
}

pub fn total_price(items: &[String], discount: f64) -> f64 {
    let mut total = 0.0;
    for item in items {
        total += unit_price(item);
    }
    apply_discount(total, discount)
}
//- /src/cart.rs
use crate::pricing::total_price;
use crate::stock::Warehouse;

pub struct Cart {
    items: Vec<String>,
    warehouse: Warehouse,
}

impl Cart {
    pub fn add(&mut self, sku: &str) {
        let _ = self.warehouse.reserve(sku, 1);
        self.items.push(sku.to_owned());
    }

    /// Sells what is in the cart.
    pub fn checkout(&mut self, discount: f64) -> f64 {
        let price = total_price(&self.items, discount);
        self.items.clear();
        price
    }
}
//- /src/report.rs
use crate::cart::Cart;

pub fn sales_report(carts: &mut [Cart]) -> f64 {
    let mut sold = 0.0;
    for cart in carts {
        sold += cart.checkout(0.0);
    }
    sold
}
//- /tests/cart.rs
use shop::pricing::total_price;

#[test]
fn checkout() {
    assert!(total_price(&[], 0.5) == 0.0);
}
";

fn rust() -> Tree {
    Tree {
        files: files(RUST),
        edits: &[
            ("src/pricing.rs", "1.5", "2.5"),
            ("src/pricing.rs", "unit_price", "price_of"),
            ("src/pricing.rs", "(1.0 - discount)", "(1.0 - discount) + unit_price(\"x\")"),
            ("src/pricing.rs", "pub fn unit_price", "// moved\n\npub fn unit_price"),
            (
                "src/pricing.rs",
                "discount: f64) -> f64 {\n    let",
                "discount: f64, tax: f64) -> f64 {\n    let",
            ),
            ("src/stock.rs", "LIMIT: u32 = 10", "LIMIT: u32 = 11"),
            ("src/stock.rs", "Warehouse", "Depot"),
            ("src/stock.rs", "        Ok(amount)\n", "        parse_counts(sku);\n        Ok(amount)\n"),
            ("src/stock.rs", "pub fn parse_counts", "/// Parses.\npub fn parse_counts"),
            ("src/stock.rs", "pub fn load_warehouse", "pub fn available() {}\n\npub fn load_warehouse"),
            ("src/cart.rs", "        self.items.clear();\n", ""),
            ("src/cart.rs", "fn checkout", "fn pay"),
            ("src/cart.rs", "total_price(&self.items, discount)", "0.0"),
            ("src/cart.rs", "impl Cart {", "impl Cart"),
            ("src/report.rs", "sold", "bought"),
        ],
        comment: "// A comment.\n",
        entries: [
            ("src/cart.rs", "Cart::checkout"),
            ("src/stock.rs", "Warehouse::reserve"),
            ("src/pricing.rs", "total_price"),
            ("src/cart.rs", ""),
        ],
        stack_trace: "thread 'main' panicked at src/pricing.rs:12:9:\nx\n",
        failing_test: "tests/cart.rs",
        edited: "src/pricing.rs",
    }
}
