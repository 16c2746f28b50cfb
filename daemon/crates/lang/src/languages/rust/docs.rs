//! Documentation inside an item.

use super::kinds::{K, Node};
use crate::builder::text::clean_comment;

/// The documentation at the start of `block` that describes the item around it: `//! …`.
pub(super) fn inner_doc(block: Node<'_>) -> Option<String> {
    let mut text = String::new();
    let mut at = block.ix();
    for node in block.descendants() {
        // Marks and text are nodes inside the comment.
        if node.ix() < at {
            continue;
        }
        match node.kind() {
            K::LineComment | K::BlockComment => {
                let comment = node.text();
                if comment.starts_with("//!") || comment.starts_with("/*!") {
                    text.push_str(comment.trim_end());
                    text.push('\n');
                } else if !text.is_empty() {
                    break;
                }
                at = node.next_ix();
            }
            K::InnerAttribute => at = node.next_ix(),
            _ => break,
        }
        if text.len() > 8_000 {
            break;
        }
    }
    clean_comment(&text)
}
