//! Facts that hold for a time.
//!
//! The law. A row of the graph is an **assertion**: somebody said that a fact holds from `valid_from` on, perhaps until `valid_to`.
//! Rows are never removed. An explicit **end** or a **retraction** is added to a row, each with the time at which it was
//! recorded. What holds is computed from that, and is nowhere stored:
//!
//! * at `knownAt`, the rows count that were recorded by then and not retracted by then;
//! * a plain fact holds in `[valid_from, min(valid_to, its explicit ends))`;
//! * an exclusive fact also ends where the next exclusive assertion about the same subject and predicate begins, whatever its object. So a
//!   retraction gives back what the fact had cut short, and the order in which facts arrive does not matter;
//! * intervals of one subject, predicate and object that touch are shown as one.
//!
//! All intervals are half-open, in Unix milliseconds. Names are equal when their folded forms are. Facts of different
//! **worlds** (the worktrees of a repository, or the user) never end one another; see [`View`].
//!
//! | file | contents |
//! |---|---|
//! | `triple` | the row |
//! | `names` | folding, hashes of names |
//! | `index` | the index by entity: the times of a row, without its text |
//! | `span` | the law, as pure functions |
//! | `group` | the rows of one subject and predicate |
//! | `admit`, `end` | adding, ending, retracting |
//! | `query`, `walk`, `timeline`, `find` | questions |
//! | `cursor` | where a page ended |
//! | `export`, `verify` | all rows, and the index made again |

mod admit;
mod cursor;
mod end;
mod export;
mod find;
mod group;
mod index;
mod names;
mod pick;
mod query;
mod record;
mod span;
#[cfg(test)]
mod tests;
mod timeline;
mod triple;
mod verify;
mod view;
mod walk;

pub use admit::{Admitted, Draft, admit_fact};
pub use end::{Which, end_facts, end_gone_facts, retract_facts};
pub use export::each_fact;
pub use find::{FactSearch, facts_of_hits, find_entities, find_fact, find_facts};
pub use index::{facts_about_code, put_followed_facts, write_fact_as_is};
pub use names::{entity_key, fold_name, is_code};
pub use query::{Direction, EntityQuery, Fact, FactPage, When, query_entity};
pub use record::Cut;
pub use timeline::{EventKind, EventPage, FactEvent, TimelineOf, TimelineQuery, read_timeline};
pub use triple::{End, ObjectType, OnChange, Retraction, Triple};
pub use verify::{GraphVerdict, verify_graph};
pub use view::View;
pub use walk::{MOST_WALKED, walk_facts};
