//! Branches that a program never takes when it runs here, for example under `if TYPE_CHECKING:` or `if sys.platform
//! == "win32":`.

use sdl_model::facts::{DefFlags, DefIx};

use super::kinds::{Context, F, K, Node};

/// How many parts of one condition are looked at.
const MAX_PARTS: usize = 16;
/// Every Python still in use is at least version 3 with this minor version.
const SURELY: u32 = 10;
/// No Python has reached version 3 with this minor version.
const NOT_YET: u32 = 20;

/// Notes the branches of the `if` at `node` that are left out.
pub(super) fn note_dead_branches(cx: &mut Context<'_>, node: Node<'_>) {
    let start = node.start();
    let mut found = Vec::new();
    let mut taken = false;
    let mut look = |condition: Option<Node<'_>>, block: Option<Node<'_>>| {
        let holds = condition.map_or(Some(true), |condition| condition_holds(condition, MAX_PARTS));
        if let Some(block) = block.filter(|_| taken || holds == Some(false)) {
            found.push((block.start(), block.end()));
        }
        taken |= condition.is_some() && holds == Some(true);
    };
    look(node.child(F::Condition), node.child(F::Consequence));
    for part in node.children_in(F::Alternative).take(64) {
        if part.is(K::ElseClause) {
            look(None, part.child(F::Body));
        } else {
            look(part.child(F::Condition), part.child(F::Consequence));
        }
    }
    if !found.is_empty() {
        cx.state.left_out.retain(|(_, end)| *end > start);
        cx.state.left_out.append(&mut found);
    }
}

/// Marks `def`, which starts at `at`, if it is in an excluded branch.
pub(super) fn mark_left_out(cx: &mut Context<'_>, def: DefIx, at: u32) {
    if !cx.state.left_out.iter().any(|(from, to)| *from <= at && at < *to) {
        return;
    }
    // The flag of an enclosing definition covers everything inside it.
    let is_inside = cx.b.def(def).parent.is_some_and(|parent| cx.b.def(parent).flags.has(DefFlags::LEFT_OUT));
    if !is_inside {
        cx.b.flag(def, DefFlags::LEFT_OUT);
    }
}

/// Whether `condition` holds wherever the program runs; none if unknown.
fn condition_holds(condition: Node<'_>, parts: usize) -> Option<bool> {
    let parts = parts.checked_sub(1)?;
    match condition.kind() {
        K::Identifier if condition.text() == "TYPE_CHECKING" => Some(false),
        K::Attribute if condition.child(F::AttributeName)?.text() == "TYPE_CHECKING" => Some(false),
        K::ParenthesizedExpression => condition_holds(condition.first()?, parts),
        K::NotOperator => condition_holds(condition.first()?, parts).map(|holds| !holds),
        K::BooleanOperator => {
            let (left, right) = (condition.child(F::Left)?, condition.child(F::Right)?);
            let is_and = text_between(left, right).contains("and");
            match (condition_holds(left, parts), condition_holds(right, parts)) {
                (Some(one), _) | (_, Some(one)) if one != is_and => Some(one),
                (Some(one), Some(_)) => Some(one),
                _ => None,
            }
        }
        K::ComparisonOperator => comparison_holds(condition),
        // `sys.platform.startswith("win")`.
        K::Call => {
            let callee = condition.child(F::Function)?;
            (callee.text() == "sys.platform.startswith").then_some(())?;
            let start = condition.child(F::Arguments)?.first().filter(|arg| arg.is(K::String))?;
            Some("linux".starts_with(super::types::string_content(start)))
        }
        _ => None,
    }
}

/// `sys.platform == "win32"`, `os.name != "nt"`, `sys.version_info >= (3, 8)`.
fn comparison_holds(condition: Node<'_>) -> Option<bool> {
    let mut sides = condition.children();
    let (left, right) = (sides.next()?, sides.last()?);
    let operator = text_between(left, right).trim();
    let here = match left.text() {
        "sys.platform" | "platform" => "linux",
        "os.name" => "posix",
        "sys.version_info" => return by_version(operator, right),
        _ => return None,
    };
    let is_it = right.is(K::String).then(|| super::types::string_content(right) == here)?;
    match operator {
        "==" => Some(is_it),
        "!=" => Some(!is_it),
        _ => None,
    }
}

/// Whether the running Python satisfies `operator` and `version`, a tuple.
fn by_version(operator: &str, version: Node<'_>) -> Option<bool> {
    let mut parts =
        version.children().filter(|_| version.is(K::Tuple)).map(|part| part.text().parse::<u32>());
    let (major, minor) = (parts.next()?.ok()?, parts.next().map_or(Some(0), Result::ok)?);
    let is_as_new = match major {
        0..3 => true,
        3 if minor <= SURELY => true,
        3 if minor < NOT_YET => return None,
        _ => false,
    };
    match operator {
        ">=" | ">" => Some(is_as_new),
        "<" | "<=" => Some(!is_as_new),
        _ => None,
    }
}

fn text_between<'a>(left: Node<'a>, right: Node<'a>) -> &'a str {
    left.src().get(left.end() as usize..right.start() as usize).unwrap_or("")
}
