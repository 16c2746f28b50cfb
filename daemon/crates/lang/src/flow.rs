//! Roles of a grammar's node kinds in a skeleton: the table that each language states, and that table by number.

use tree_sitter::Language as Grammar;

/// Roles of a language's node kinds in a skeleton. Each language states one table in its `flow.rs`. A test compares it
/// with the grammar, so that every kind named like control flow is mentioned.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    /// Control flow, which a skeleton always shows, and the positions of the bodies of each.
    pub control: &'static [(&'static str, Body)],
    /// Kinds that are named like control flow but are not, such as an `if` in a type, each with the reason.
    pub not_control: &'static [(&'static str, &'static str)],
    /// Lists of statements, such as a function's block. Their content is left out unless it is control flow or a
    /// definition.
    pub lists: &'static [&'static str],
    /// Bodies of types and the like, whose items are shown. `parent/kind` counts only below that parent.
    pub members: &'static [&'static str],
    /// Function literals and other nodes with a header and a body, shown when something inside is.
    pub closures: &'static [(&'static str, Body)],
    /// Lists of arguments.
    pub arguments: &'static [&'static str],
    /// Statements that are shown although they define nothing: imports, exports, access specifiers.
    pub always: &'static [&'static str],
    /// Tokens that look like brackets and have no partner: the node and the token.
    pub unpaired: &'static [(&'static str, &'static str)],
}

/// The positions of a node's bodies. Lists of statements below it are bodies in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// In these fields.
    Fields(&'static [&'static str]),
    /// After these tokens, up to the next keyword.
    After(&'static [&'static str]),
    /// Everything but these fields and kinds.
    Rest(&'static [&'static str]),
    /// On the lines below the first.
    Below,
    /// In lists of statements alone.
    Lists,
    /// As [`Body::Lists`], and the node is control flow only if it has this token.
    With(&'static str),
}

/// The role of one kind of node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Role {
    pub(crate) comment: bool,
    pub(crate) control: bool,
    pub(crate) list: bool,
    pub(crate) arguments: bool,
    pub(crate) always: bool,
    /// Text that the parser could not read.
    pub(crate) error: bool,
    /// Of control flow and closures.
    pub(crate) body: Option<Body>,
    /// The fields of `body`, by number.
    pub(crate) fields: Vec<u16>,
    /// The kinds that [`Body::Rest`] leaves to the header.
    pub(crate) header: Vec<u16>,
    members: bool,
    /// Kinds below which it is a body of members.
    members_below: Vec<u16>,
    /// Tokens in it that have no partner.
    pub(crate) unpaired: Vec<&'static str>,
}

impl Role {
    pub(crate) fn is_members(&self, parent: u16) -> bool {
        self.members || self.members_below.contains(&parent)
    }
}

/// The roles of one grammar's kinds, by number.
#[derive(Debug)]
pub(crate) struct Roles {
    roles: Vec<Role>,
    /// Text that the parser could not read.
    error: Role,
}

impl Roles {
    /// Looks up the names of `flow` in `grammar`. One name may have several numbers.
    pub(crate) fn new(grammar: &Grammar, flow: &Flow, is_comment: impl Fn(u16) -> bool) -> Self {
        let name_of = |id: u16| {
            let name = grammar.node_kind_for_id(id).filter(|_| grammar.node_kind_is_named(id));
            name.unwrap_or_default()
        };
        let ids = 0..grammar.node_kind_count() as u16;
        let roles = ids.clone().map(|id| {
            let name = name_of(id);
            if name.is_empty() {
                return Role::default();
            }
            let control = flow.control.iter().find(|(kind, _)| *kind == name);
            let closure = flow.closures.iter().find(|(kind, _)| *kind == name);
            let body = control.or(closure).map(|(_, body)| *body);
            let fields = match body {
                Some(Body::Fields(fields) | Body::Rest(fields)) => fields
                    .iter()
                    .filter_map(|field| grammar.field_id_for_name(field))
                    .map(Into::into)
                    .collect(),
                _ => Vec::new(),
            };
            let header = match body {
                Some(Body::Rest(kinds)) => ids.clone().filter(|id| kinds.contains(&name_of(*id))).collect(),
                _ => Vec::new(),
            };
            let below = flow.members.iter().filter_map(|entry| entry.split_once('/'));
            let parents = below.filter(|(_, kind)| *kind == name).map(|(parent, _)| parent);
            Role {
                comment: is_comment(id),
                control: control.is_some(),
                list: flow.lists.contains(&name),
                arguments: flow.arguments.contains(&name),
                always: flow.always.contains(&name),
                error: false,
                body,
                fields,
                header,
                members: flow.members.contains(&name),
                members_below: parents
                    .flat_map(|parent| ids.clone().filter(move |id| name_of(*id) == parent))
                    .collect(),
                unpaired: flow
                    .unpaired
                    .iter()
                    .filter(|(kind, _)| *kind == name)
                    .map(|(_, token)| *token)
                    .collect(),
            }
        });
        Self { roles: roles.collect(), error: Role { error: true, list: true, ..Role::default() } }
    }

    /// The role of the kind of that number.
    pub(crate) fn of(&self, kind: u16) -> &Role {
        // Numbers beyond the table are the parser's own: errors.
        self.roles.get(usize::from(kind)).unwrap_or(&self.error)
    }
}
