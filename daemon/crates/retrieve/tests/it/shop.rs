//! A small shop in Python, and edits of it.

use sdl_model::Version;

use crate::ledger::{MemoryLedger, files};

pub(crate) const SHOP: &str = r#"
//- /shop/__init__.py
//- /shop/errors.py
class ShopError(Exception):
    """Anything that the shop refuses."""


class OutOfStock(ShopError):
    """There is not enough of it."""
//- /shop/stock.py
import os

from shop.errors import OutOfStock

LIMIT = 10


class Warehouse:
    """Knows how much of everything there is."""

    def __init__(self, counts: dict):
        self.counts = counts

    def available(self, sku: str) -> int:
        """Tells how many are left. Never negative."""
        return max(self.counts.get(sku, 0), 0)

    def reserve(self, sku: str, amount: int = 1) -> int:
        """Takes some out of the shelf."""
        if amount <= 0:
            raise ValueError("amount must be positive")
        if self.available(sku) < amount:
            raise OutOfStock(sku)
        self.counts[sku] -= amount
        return amount


def load_warehouse(path: str) -> Warehouse:
    """Reads the counts from a file."""
    path = os.environ.get("SHOP_STOCK", path)
    with open(path) as handle:
        return Warehouse(parse_counts(handle.read()))


def parse_counts(text: str) -> dict:
    counts = {}
    for line in text.splitlines():
        sku, _, count = line.partition("=")
        counts[sku] = int(count)
    return counts
//- /shop/cart.py
from shop.pricing import total_price
from shop.stock import Warehouse


class Cart:
    """What a customer is about to buy."""

    def __init__(self, warehouse: Warehouse):
        self.warehouse = warehouse
        self.items = []

    def add(self, sku: str, amount: int = 1):
        """Puts an item into the cart."""
        self.warehouse.reserve(sku, amount)
        self.items.append((sku, amount))

    def checkout(self, discount: float = 0.0) -> float:
        """Prices the cart and empties it."""
        price = total_price(self.items, discount)
        self.items = []
        return price
//- /shop/pricing.py
def unit_price(sku: str) -> float:
    """The price of one item."""
    return len(sku) * 1.5


def total_price(items: list, discount: float) -> float:
    """The price of all items after the discount."""
    total = 0.0
    for sku, amount in items:
        total += unit_price(sku) * amount
    return apply_discount(total, discount)


def apply_discount(total: float, discount: float) -> float:
    if not 0 <= discount < 1:
        raise ValueError("discount out of range")
    return total * (1 - discount)
//- /shop/report.py
import logging


def sales_report(sales):
    """Writes a line for every sale."""
    for sale in sales:
        logging.info("sold %s", sale)
//- /tests/test_cart.py
from shop.cart import Cart
from shop.stock import Warehouse


def test_checkout():
    cart = Cart(Warehouse({"pen": 3}))
    cart.add("pen", 2)
    assert cart.checkout() > 0
"#;

pub(crate) fn shop() -> MemoryLedger {
    MemoryLedger::new(SHOP)
}

/// The shop's text of a file.
pub(crate) fn text(path: &str) -> String {
    files(SHOP).into_iter().find(|(known, _)| known == path).unwrap_or_else(|| panic!("no {path}")).1
}

/// Adds a version in which a file of the original shop reads differently.
pub(crate) fn edit(ledger: &mut MemoryLedger, path: &str, from: &str, to: &str) -> Version {
    let before = text(path);
    assert!(before.contains(from), "{path} has no {from:?}");
    ledger.write(&[(path, Some(before.replace(from, to).as_bytes()))])
}
