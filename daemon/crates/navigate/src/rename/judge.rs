//! What one mention of the old name means.

use std::collections::BTreeMap;

use sdl_graph::strategies::find_rule;
use sdl_lang::{NameMention, NameRole};
use sdl_model::facts::{DefIx, Import, Ref};
use sdl_model::{EdgeKind, Resolution, SymbolId, SymbolKind};
use sdl_retrieve::members::{member_owner, own_members};
use sdl_retrieve::{Result, Source, Sym};

use super::EditPart;
use super::family::Family;
use super::file::FileNames;
use crate::overrides::base_types;

/// The outcome for one mention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It has to change.
    Edit {
        /// What it is.
        part: EditPart,
        /// Whether only the name says so.
        is_guess: bool,
        /// Whether it is a key too, which keeps the old name.
        shorthand: bool,
    },
    /// It means something else.
    Other,
    /// A person has to look at it.
    Doubt(&'static str),
    /// Words that no program reads.
    Words(&'static str),
}

impl Verdict {
    fn edit(part: EditPart) -> Self {
        Self::Edit { part, is_guess: false, shorthand: false }
    }
}

/// Judges the mentions in one file.
pub(super) struct Judge<'j, 'f> {
    source: &'j Source<'j>,
    family: &'j Family,
    names: &'j FileNames<'f>,
    /// The definitions of the old name, by the place of the name.
    defined: BTreeMap<u32, Sym>,
}

const UNKNOWN: &str = "its meaning is not known";
const UNKNOWN_RECEIVER: &str = "a member of a receiver of unknown type";
const COMPARED: &str = "a member of this name elsewhere, and types are compared by members";
const SEVERAL: &str = "it may mean one of several definitions";

impl<'j, 'f> Judge<'j, 'f> {
    pub(super) fn new<'a: 'j>(
        source: &'j Source<'a>,
        family: &'j Family,
        names: &'j FileNames<'f>,
        mentions: &[NameMention],
    ) -> Result<Self> {
        let mut defined = BTreeMap::new();
        for sym in names.symbols.iter().filter(|sym| sym.ix != DefIx::MODULE) {
            let def = sym.def();
            if sym.kind() == SymbolKind::Impl || sym.outline().str(def.name) != names.old_name() {
                continue;
            }
            let may_be_name = |mention: &&NameMention| {
                let code = matches!(
                    mention.role,
                    NameRole::Bare | NameRole::Member | NameRole::Key | NameRole::Shorthand
                );
                // `self.name = name`: the second one is a parameter.
                let is_value = sym.kind() == SymbolKind::Field
                    && mention.role == NameRole::Bare
                    && names.is_local(mention.at);
                code && !is_value
                    && names.line_of(mention.at) == def.line
                    && (def.span.start..def.span.end).contains(&mention.at)
                    && !defined.contains_key(&mention.at)
            };
            let is_no_use = |mention: &&NameMention| names.reference(mention.at).is_none();
            // A member that is set may count as a use, too.
            let is_member = |mention: &&NameMention| mention.role == NameRole::Member;
            let own = mentions.iter().filter(may_be_name).find(is_no_use);
            let set = || mentions.iter().filter(may_be_name).find(is_member);
            if let Some(mention) = own.or_else(set) {
                defined.insert(mention.at, sym.clone());
            }
        }
        Ok(Self { source, family, names, defined })
    }

    /// The definition of the family whose name is at a byte.
    pub(super) fn defined_at(&self, at: u32) -> Option<SymbolId> {
        self.defined.get(&at).map(|sym| sym.id).filter(|id| self.family.has(*id))
    }

    pub(super) fn verdict(&self, mention: NameMention) -> Result<Verdict> {
        let at = mention.at;
        if let Some(sym) = self.defined.get(&at) {
            return self.of_definition(sym, mention);
        }
        if self.declares_module(mention) {
            return Ok(Verdict::Other);
        }
        let by_sites = self.of_sites(mention)?;
        // The label of a case is a constant of the enum that is switched on, whatever else has the name.
        let is_elsewhere = by_sites.is_none_or(|verdict| verdict == Verdict::Other);
        if is_elsewhere && self.family.has_enum_members() && self.is_case_label(mention) {
            return Ok(Verdict::Doubt("the label of a case may mean it"));
        }
        if let Some(verdict) = by_sites {
            return Ok(verdict);
        }
        match mention.role {
            NameRole::Comment => Ok(Verdict::Words("a comment names it")),
            NameRole::Text => Ok(Verdict::Words("a text names it")),
            NameRole::NameText => Ok(Verdict::Doubt("a string may name it")),
            NameRole::ExportText => self.of_scope(at, EditPart::Text),
            NameRole::Opaque => Ok(Verdict::Doubt("the grammar does not take this text apart")),
            NameRole::Import | NameRole::Alias => self.of_import(mention),
            NameRole::Path if self.family.symbols.iter().any(|sym| sym.kind().is_type()) => {
                Ok(Verdict::Doubt("a part of a module's path may be this type"))
            }
            NameRole::Path => Ok(Verdict::Other),
            NameRole::Keyword | NameRole::Key if self.family.has_fields() => {
                Ok(Verdict::Doubt("an argument or a key may set it"))
            }
            NameRole::Keyword | NameRole::Key => Ok(Verdict::Other),
            NameRole::Shorthand => Ok(self.of_shorthand(at)),
            NameRole::Member => self.of_member(at),
            NameRole::Bare => self.of_bare(at),
        }
    }

    fn of_definition(&self, sym: &Sym, mention: NameMention) -> Result<Verdict> {
        if self.names.is_in_open_block(mention.at) {
            return Ok(Verdict::Doubt(
                "it is in the braces of a macro or of an ambient declaration, which may use its name",
            ));
        }
        if self.family.has(sym.id) {
            if matches!(mention.role, NameRole::Key | NameRole::Shorthand) && self.family.has_fields() {
                return Ok(Verdict::Doubt("a definition that is a key too"));
            }
            let also_bound = !self.family.has_members()
                && sym.def().parent == Some(DefIx::MODULE)
                && self.names.imports().any(|import| self.names.binds_old(import));
            if also_bound {
                return Ok(Verdict::Doubt("an import binds this name too"));
            }
            // `const { name } = value`: the key stays.
            let shorthand = mention.role == NameRole::Shorthand;
            return Ok(Verdict::Edit { part: EditPart::Definition, is_guess: false, shorthand });
        }
        // A method of an object that is passed for the type, for example.
        if self.family.has_members() && self.family.may_be_compared(sym) {
            return Ok(Verdict::Doubt(COMPARED));
        }
        if self.family.has_members() && self.family.may_be_overridden_by(self.source, sym)? {
            return Ok(Verdict::Doubt("a definition of this name that may override it"));
        }
        let beside_import = sym.def().parent == Some(DefIx::MODULE)
            && self.names.imports().any(|import| self.names.binds_old(import) && self.leads_in(import));
        Ok(if beside_import {
            Verdict::Doubt("an import of it and this definition share a name")
        } else {
            Verdict::Other
        })
    }

    /// By the edges that resolution finds at this place.
    fn of_sites(&self, mention: NameMention) -> Result<Option<Verdict>> {
        let mut inside = false;
        let mut outside = false;
        let mut is_sure = true;
        for site in self.names.sites_at(mention.at) {
            let listed = self.source.listed(site.edge.to)?;
            if listed.is_none_or(|listed| listed.name() != self.names.old_name()) {
                continue;
            }
            let by_name = find_rule(site.edge.strategy).is_none_or(sdl_graph::strategies::Rule::goes_by_name);
            is_sure &= !by_name && site.edge.resolution != Resolution::Ambiguous;
            if self.family.has(site.edge.to) { inside = true } else { outside = true }
        }
        let is_local = mention.role != NameRole::Member && self.names.is_local(mention.at);
        Ok(match (inside, outside) {
            (false, false) => None,
            (true, true) => Some(Verdict::Doubt(SEVERAL)),
            (false, true) if is_sure => Some(Verdict::Other),
            (false, true) => Some(Verdict::Doubt(UNKNOWN_RECEIVER)),
            (true, false) if is_local && mention.role == NameRole::Bare => {
                Some(Verdict::Doubt("a local of this name is in sight"))
            }
            (true, false) => {
                let shorthand = mention.role == NameRole::Shorthand;
                if shorthand && (self.family.has_members() || self.is_exported_apart()) {
                    return Ok(Some(Verdict::Doubt("a key that is a value's name too")));
                }
                let part = match mention.role {
                    NameRole::Import | NameRole::Alias => EditPart::Import,
                    NameRole::NameText | NameRole::ExportText | NameRole::Text => EditPart::Text,
                    _ => EditPart::Reference,
                };
                Some(Verdict::Edit { part, is_guess: !is_sure, shorthand })
            }
        })
    }

    fn is_exported_apart(&self) -> bool {
        let outline = &self.names.outline;
        outline.exports.iter().any(|export| outline.str(export.local) == self.names.old_name())
    }

    fn of_shorthand(&self, at: u32) -> Verdict {
        let is_import = self.names.imports().any(|import| self.leads_in(import));
        if self.family.has_fields() || is_import {
            return Verdict::Doubt("a key that is a value's name too");
        }
        if self.family.has_members() {
            return Verdict::Doubt("a part that is taken from a value of unknown type");
        }
        match self.names.reference(at) {
            Some((_, true)) => Verdict::Other,
            _ if self.names.is_local(at) || !self.names.defined_by_file(self.names.old_name()) => {
                Verdict::Other
            }
            _ => Verdict::Doubt(UNKNOWN),
        }
    }

    /// The import that a name in an import statement belongs to.
    fn of_import(&self, mention: NameMention) -> Result<Verdict> {
        let line = self.names.line_of(mention.at);
        let mut known: Vec<&Import> = self.names.imports().collect();
        if known.is_empty() {
            return self.of_scope(mention.at, EditPart::Import);
        }
        // A statement may span lines: the last import that starts before the name.
        known.sort_by_key(|import| (import.line > line, line.abs_diff(import.line)));
        let nearest = known.first().map_or(line, |import| import.line);
        let mut verdicts =
            known.iter().filter(|import| import.line == nearest).map(|import| self.of_one(import));
        let first = verdicts.next().unwrap_or(Verdict::Doubt(UNKNOWN));
        Ok(if verdicts.all(|other| other == first) { first } else { Verdict::Doubt(SEVERAL) })
    }

    fn of_one(&self, import: &Import) -> Verdict {
        if self.leads_in(import) {
            let shares = self.names.binds_old(import)
                && !self.family.has_members()
                && (self.names.is_bound_by_file() || self.names.defined_by_file(self.names.old_name()));
            if shares {
                return Verdict::Doubt("an import of it and a definition share a name");
            }
            return Verdict::edit(EditPart::Import);
        }
        let module = self.names.outline.str(import.module);
        let is_near = [".", "crate", "self", "super"].iter().any(|start| module.starts_with(start));
        let is_found = self.names.edges_of_line(import.line, EdgeKind::Import).next().is_some();
        if is_near && !is_found { Verdict::Doubt("an import that leads nowhere") } else { Verdict::Other }
    }

    /// Whether an import leads to the family.
    fn leads_in(&self, import: &Import) -> bool {
        self.names.edges_of_line(import.line, EdgeKind::Import).any(|to| self.family.has(to))
    }

    /// What the name means in the file's own scope.
    fn of_scope(&self, at: u32, part: EditPart) -> Result<Verdict> {
        let name = self.names.old_name();
        let mut inner: Vec<&Sym> = Vec::new();
        // A block of Rust has the name of its type, but does not define it.
        let defines =
            |sym: &&Sym| sym.ix != DefIx::MODULE && sym.kind() != SymbolKind::Impl && sym.name() == name;
        for sym in self.names.symbols.iter().filter(defines) {
            let parent =
                sym.def().parent.and_then(|parent| self.names.outline.def(parent).map(|def| (parent, def)));
            let Some((parent, def)) = parent else { continue };
            let is_scope = parent == DefIx::MODULE
                || (def.span.start <= at
                    && at < def.span.end
                    && !def.kind.is_type()
                    && def.kind != SymbolKind::Impl);
            if is_scope {
                inner.push(sym);
            }
        }
        if let Some(import) = self.names.imports().find(|import| self.names.binds_old(import)) {
            if inner.is_empty() {
                return Ok(match self.of_one(import) {
                    Verdict::Edit { .. } => Verdict::edit(part),
                    other => other,
                });
            }
            return Ok(Verdict::Doubt("an import of it and a definition share a name"));
        }
        let deepest = inner.iter().max_by_key(|sym| {
            let parent = sym.def().parent.and_then(|parent| self.names.outline.def(parent));
            parent.map_or(0, |parent| parent.span.start)
        });
        Ok(match deepest {
            Some(sym) if self.family.has(sym.id) => Verdict::edit(part),
            Some(_) => Verdict::Other,
            None => Verdict::Doubt(UNKNOWN),
        })
    }

    fn of_bare(&self, at: u32) -> Result<Verdict> {
        let names = self.names;
        let traits = names.lang().traits();
        let line = names.line_of(at);
        if names.is_implied(line, |to| self.family.has(to)) {
            return Ok(Verdict::Doubt("a convention links it to this name"));
        }
        if self.family.has_types() && names.is_parameter_in_header(at) {
            return Ok(Verdict::Doubt("a parameter here has this name, and its type may have it too"));
        }
        match names.reference(at) {
            Some(_) if traits.names.hoists && names.is_local(at) => return Ok(Verdict::Other),
            Some((_, false)) => return Ok(Verdict::Doubt(UNKNOWN)),
            Some((_, true)) if traits.names.is_closed && !self.is_held_here(at) => return Ok(Verdict::Other),
            Some(_) if names.is_local(at) => return Ok(Verdict::Other),
            Some(_) => {}
            None => {
                if let Some(verdict) = self.of_header(at, line)? {
                    return Ok(verdict);
                }
                if names.is_from_outer(at) {
                    return self.of_scope(at, EditPart::Reference);
                }
                if names.is_local(at) {
                    return Ok(Verdict::Other);
                }
                if let Some(sym) = self.headed_by(at) {
                    let part = EditPart::Definition;
                    return Ok(if self.family.has(sym.id) { Verdict::edit(part) } else { Verdict::Other });
                }
            }
        }
        if self.family.has_members() {
            let in_type = names.around(at, |_| true).is_some_and(|sym| sym.kind().is_type());
            // The constants of an enum of C, or of one whose names Rust takes over, are named alone.
            let is_constant = self.family.has_enum_members()
                && (traits.names.shared_by_include || traits.types.impl_blocks);
            let apart =
                !traits.names.implicit_receiver && !in_type && !self.family.has_types() && !is_constant;
            return Ok(if apart { Verdict::Other } else { Verdict::Doubt(UNKNOWN) });
        }
        self.of_scope(at, EditPart::Reference)
    }

    /// The definition of the name whose header is at a byte. A function may have several, such as the signatures of its
    /// overloads.
    fn headed_by(&self, at: u32) -> Option<&Sym> {
        let around = self.names.around(at, |_| true).filter(|sym| sym.ix != DefIx::MODULE)?;
        let in_header = around.def().body_start.is_none_or(|body| at < body);
        (in_header && around.name() == self.names.old_name()).then_some(around)
    }

    /// A name that the file's own scope has, whose value resolution followed to something else.
    fn is_held_here(&self, at: u32) -> bool {
        !self.family.has_members()
            && !self.names.is_local(at)
            && self.names.symbols.iter().any(|sym| self.family.has(sym.id))
    }

    /// A base in the header of a type, or the type of a block or of a receiver.
    fn of_header(&self, at: u32, line: u32) -> Result<Option<Verdict>> {
        if let Some(around) = self.headed_around(at)
            && self.is_owner_of(around)
            && !self.is_base_of(around, line)
        {
            let owner = member_owner(self.source, around)?;
            return Ok(owner.map(|owner| {
                if self.family.has(owner.id) { Verdict::edit(EditPart::Reference) } else { Verdict::Other }
            }));
        }
        Ok(self.of_base(at, line))
    }

    /// A base in the header of a type, which an edge follows.
    fn of_base(&self, at: u32, line: u32) -> Option<Verdict> {
        let around = self.headed_around(at)?;
        let is_followed = self.names.edges_of_line(line, EdgeKind::Implements).any(|to| self.family.has(to));
        let is_base = self.is_base_of(around, line) && !self.is_owner_of(around);
        (is_base && is_followed).then_some(Verdict::edit(EditPart::Reference))
    }

    /// The innermost definition whose header is around a byte.
    fn headed_around(&self, at: u32) -> Option<&Sym> {
        let in_header = |sym: &&Sym| {
            let def = sym.def();
            def.span.start <= at && at < def.body_start.unwrap_or(def.span.end)
        };
        self.names.symbols.iter().filter(|sym| sym.ix != DefIx::MODULE).rfind(in_header)
    }

    /// Whether a base in this line has the old name.
    fn is_base_of(&self, around: &Sym, line: u32) -> bool {
        let is_named = |ty| self.names.outline.last_name(ty) == Some(self.names.old_name());
        around.def().bases.iter().any(|base| base.line == line && is_named(base.ty))
    }

    /// Whether the type that a block or a receiver states has the old name.
    fn is_owner_of(&self, around: &Sym) -> bool {
        let owner = around.def().owner.and_then(|owner| self.names.outline.last_name(owner));
        owner == Some(self.names.old_name())
    }

    fn of_member(&self, at: u32) -> Result<Verdict> {
        let names = self.names;
        if let Some(verdict) = self.of_base(at, names.line_of(at)) {
            return Ok(verdict);
        }
        let receiver = receiver_before(names.bytes(), at);
        let is_own = matches!(receiver, "self" | "this" | "cls" | "Self");
        match names.reference(at) {
            Some((_, true)) if self.family.may_be_assigned_in(names.lang()) && self.is_assigned(at) => {
                return Ok(Verdict::Doubt(COMPARED));
            }
            // A value that a library made may hold one of the repository's types, as an element of a list does.
            Some((one, true)) if self.family.has_members() && self.is_of_local(&one, at) => {
                return Ok(Verdict::Doubt(UNKNOWN_RECEIVER));
            }
            Some((_, true)) => return Ok(Verdict::Other),
            Some((one, false)) if !self.family.has_members() => {
                let root = one.recv.and_then(|recv| names.body.arena.dotted(recv));
                let root = root.as_deref().and_then(|text| text.split(['.', ':']).next()).unwrap_or_default();
                let may_be = self.may_hold(root) || self.may_hold(receiver) || self.is_in_crate(at);
                return Ok(if !root.is_empty() && !is_own && may_be {
                    Verdict::Doubt(UNKNOWN)
                } else {
                    Verdict::Other
                });
            }
            Some(_) if !is_own => return Ok(Verdict::Doubt(UNKNOWN_RECEIVER)),
            _ => {}
        }
        if !self.family.has_members() {
            let may_be = !is_own && (self.may_hold(receiver) || self.is_in_crate(at));
            return Ok(if may_be { Verdict::Doubt(UNKNOWN) } else { Verdict::Other });
        }
        if !is_own {
            return Ok(Verdict::Doubt(UNKNOWN_RECEIVER));
        }
        self.of_own_member(at)
    }

    /// Whether a name before a dot may lead to the family, because the file knows that name, or because the family is in a
    /// type, file or folder of that name.
    fn may_hold(&self, name: &str) -> bool {
        matches!(name, "crate" | "super")
            || self.names.is_known_to_file(name)
            || self.family.symbols.iter().any(|sym| {
                let around = sym.def().parent.and_then(|parent| sym.outline().def(parent));
                around.is_some_and(|around| sym.outline().str(around.name) == name)
                    || sym.row().path.stem() == name
                    || sym.path().split('/').any(|folder| folder == name)
            })
    }

    /// Whether the receiver of a mention begins with a local or a parameter.
    fn is_of_local(&self, one: &Ref, at: u32) -> bool {
        let root = one.recv.and_then(|recv| self.names.body.arena.dotted(recv));
        let root = root.as_deref().and_then(|text| text.split(['.', ':']).next()).unwrap_or_default();
        !matches!(root, "" | "self" | "this") && self.names.is_local_name(root, at)
    }

    /// Whether a bare name is that of a module of Rust: `mod parser;`. No module is in a family.
    fn declares_module(&self, mention: NameMention) -> bool {
        let before = self.names.bytes().get(..mention.at as usize).unwrap_or_default();
        let word = before.trim_ascii_end();
        self.names.lang().traits().types.impl_blocks
            && word.len() < before.len()
            && word.strip_suffix(b"mod").is_some_and(|rest| rest.last().is_none_or(u8::is_ascii_whitespace))
    }

    /// Whether a bare name is what `case` is followed by, where labels name constants without their enum.
    fn is_case_label(&self, mention: NameMention) -> bool {
        let before = self.names.bytes().get(..mention.at as usize).unwrap_or_default();
        let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii_start();
        mention.role == NameRole::Bare
            && self.names.lang().traits().names.implicit_receiver
            && line.starts_with(b"case ")
            && !line.iter().any(|byte| b":>(".contains(byte))
    }

    /// Whether a byte is in a path of Rust that may begin with a crate of the repository, because it doesn't with one of
    /// the standard library: `clap::Id`.
    fn is_in_crate(&self, at: u32) -> bool {
        let before = self.names.bytes().get(..at as usize).unwrap_or_default();
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_:".contains(byte);
        let start = before.iter().rposition(|byte| !is_part(byte)).map_or(0, |place| place + 1);
        let path = before.get(start..).unwrap_or_default();
        let is_standard = [&b"std::"[..], b"core::", b"alloc::"].iter().any(|root| path.starts_with(root));
        self.names.lang().traits().types.impl_blocks && path.ends_with(b"::") && !is_standard
    }

    /// Whether a value is assigned to the name at a byte.
    fn is_assigned(&self, at: u32) -> bool {
        let after = self.names.bytes().get(at as usize + self.names.old_name().len()..).unwrap_or_default();
        match after.trim_ascii_start() {
            [b'=', next, ..] => !matches!(next, b'=' | b'>'),
            _ => false,
        }
    }

    /// A member of the type around it.
    fn of_own_member(&self, at: u32) -> Result<Verdict> {
        let holds = |sym: &Sym| sym.kind().is_type() || sym.kind() == SymbolKind::Impl;
        let Some(around) = self.names.around(at, holds).filter(|sym| sym.ix != DefIx::MODULE) else {
            return Ok(Verdict::Doubt(UNKNOWN_RECEIVER));
        };
        let ty = match around.kind() {
            SymbolKind::Impl => member_owner(self.source, around)?,
            _ => Some(around.clone()),
        };
        let Some(ty) = ty else { return Ok(Verdict::Doubt(UNKNOWN_RECEIVER)) };
        let mut types = vec![ty.id];
        types.extend(base_types(self.source, ty.id)?);
        for id in types {
            let Some(ty) = self.source.symbol(id)? else { continue };
            let member = own_members(&ty)
                .into_iter()
                .filter_map(|ix| ty.beside(ix))
                .find(|member| member.name() == self.names.old_name());
            if let Some(member) = member {
                return Ok(if self.family.has(member.id) {
                    Verdict::edit(EditPart::Reference)
                } else {
                    Verdict::Other
                });
            }
        }
        Ok(Verdict::Doubt(UNKNOWN_RECEIVER))
    }
}

/// The word before the dot before a byte.
fn receiver_before(bytes: &[u8], at: u32) -> &str {
    let before = bytes.get(..at as usize).unwrap_or_default().trim_ascii_end();
    let marks: [&[u8]; 4] = [b"::", b"->", b"?.", b"."];
    let before = marks.iter().find_map(|mark| before.strip_suffix(*mark)).unwrap_or_default();
    let start =
        before.iter().rposition(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').map_or(0, |at| at + 1);
    std::str::from_utf8(before.get(start..).unwrap_or_default()).unwrap_or_default()
}
