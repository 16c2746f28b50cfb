//! Types and their members: the owner of a definition, the bases of a type, the place of a member.

use std::rc::Rc;

use sdl_ledger::NameHit;
use sdl_model::SymbolKind;
use sdl_model::facts::{BaseKind, Def, DefFlags, DefIx, name_apart};

use super::{Bases, Ctx, Infer, Member, Ty, Typed};
use crate::values::Line;
use crate::world::{DefRef, FileIndex, Question, Sym, last_name};

/// Most types in one line of inheritance.
const LINE: usize = 64;

/// Most impl blocks of one file that are searched for the traits that a type implements.
const BLOCKS: usize = 256;

impl Infer<'_, '_> {
    /// The type whose member `def` is, or `def` itself if it is a type.
    pub(crate) fn owner_type(&self, def: DefRef) -> Option<DefRef> {
        let file = self.file(def.file);
        let mut at = def.def;
        let mut from_callable = false;
        loop {
            let found = file.outline.def(at)?;
            let here = DefRef { file: def.file, def: at };
            match found.kind {
                SymbolKind::Type | SymbolKind::EnumMember if !from_callable && at == def.def => {}
                SymbolKind::EnumMember => return Some(here),
                kind if kind.is_type() => return Some(here),
                SymbolKind::Impl => return self.owner_of(&file, here),
                SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field if from_callable => {
                    return Some(here);
                }
                SymbolKind::Function
                | SymbolKind::Method
                | SymbolKind::Constructor
                | SymbolKind::Property => {
                    if found.owner.is_some() {
                        return self.owner_of(&file, here);
                    }
                    from_callable = true;
                    if found.kind == SymbolKind::Function
                        && self.rules_of(&file).is_constructor_function(&file, at)
                    {
                        return Some(here);
                    }
                }
                SymbolKind::Module => return None,
                _ => {}
            }
            at = found.parent.filter(|parent| *parent < at)?;
        }
    }

    /// The type that an impl block or a member names as its owner.
    pub(crate) fn owner_of(&self, file: &FileIndex, def: DefRef) -> Option<DefRef> {
        self.owner_value(file, def).instance_of()
    }

    /// A value of the type that an impl block or a member names as its owner.
    pub(crate) fn owner_value(&self, file: &FileIndex, def: DefRef) -> Ty {
        let typed = self.w.derive(&self.w.memos.types, Question::Owner(def), Typed::UNKNOWN, || {
            let ty = file.outline.def(def.def).and_then(|found| {
                let ctx = Ctx { owner: true, ..Self::outline_ctx(file, def, None) };
                Some(self.stated(&ctx, found.owner?))
            });
            Typed::new(ty.unwrap_or(Ty::Unknown), super::How::Named)
        });
        typed.ty
    }

    /// The types that a type inherits from, with the type itself first.
    pub(crate) fn line(&self, class: DefRef) -> Rc<Line> {
        let q = Question::Line(class);
        self.w.derive(&self.w.memos.lines, q, Rc::new(Line { types: vec![class], outside: true }), || {
            let mut line = Line::default();
            let mut stack = vec![class];
            let mut steps = 0;
            // In order of the text, left to right. A type that occurs twice counts at its last place, because a
            // shared base comes after all types that derive from it, as in Python's method resolution order.
            while let Some(next) = stack.pop() {
                steps += 1;
                if steps > 4 * LINE {
                    break;
                }
                if let Some(at) = line.types.iter().position(|seen| *seen == next) {
                    if next == class {
                        continue;
                    }
                    line.types.remove(at);
                } else if line.types.len() >= LINE {
                    line.outside = true;
                    break;
                }
                line.types.push(next);
                let Bases { types, outside } = self.bases(next);
                line.outside |= outside;
                stack.extend(types.into_iter().rev());
            }
            Rc::new(line)
        })
    }

    /// Where the bases of a type are looked up: around the type, because its own and inherited members come later.
    pub(crate) fn base_ctx<'f>(&self, file: &'f FileIndex, at: DefRef, kind: BaseKind) -> super::Ctx<'f> {
        let inside = self.rules_of(file).sees_members(kind);
        let scope = match file.outline.def(at.def) {
            Some(def) if def.kind.is_type() && !inside => def.parent.unwrap_or(at.def),
            _ => at.def,
        };
        Self::outline_ctx(file, DefRef { def: scope, ..at }, None)
    }

    /// Adds the types that the definition `at` of `file` names as bases of `class`.
    pub(crate) fn add_stated_bases(&self, file: &FileIndex, at: DefRef, class: DefRef, bases: &mut Bases) {
        let Some(found) = file.outline.def(at.def) else { return };
        for base in &found.bases {
            let ctx = self.base_ctx(file, at, base.kind);
            for ty in self.stated(&ctx, base.ty).each() {
                match ty.instance_of() {
                    Some(base) if base != class => bases.types.push(base),
                    Some(_) => {}
                    None => bases.outside |= *ty != Ty::Null,
                }
            }
        }
    }

    /// The types that `class` names as its bases, and whether some are outside the repository.
    fn bases(&self, class: DefRef) -> Bases {
        let file = self.file(class.file);
        let mut bases = Bases::default();
        self.add_stated_bases(&file, class, class, &mut bases);
        for def in file.merged(class.def) {
            self.add_stated_bases(&file, DefRef { def, ..class }, class, &mut bases);
        }
        self.add_bases_of_blocks(&file, class, &mut bases);
        self.rules_of(&file).add_bases(self, &file, class, &mut bases);
        if let Some(parent) = file
            .outline
            .def(class.def)
            .and_then(|def| (def.kind == SymbolKind::EnumMember).then_some(def.parent).flatten())
        {
            bases.types.push(DefRef { file: class.file, def: parent });
        }
        bases
    }

    /// Adds the bases that blocks outside of a type give it.
    fn add_bases_of_blocks(&self, file: &FileIndex, class: DefRef, bases: &mut Bases) {
        let Some(name) = file.name(class.def) else { return };
        let rules = self.rules_of(file);
        let mut added = Vec::new();
        // A block that implements nothing has no bases.
        let implements = |def: &&DefIx| file.outline.def(**def).is_some_and(|def| !def.bases.is_empty());
        let mut blocks = file.blocks_of(name).iter().filter(implements);
        for &def in blocks.by_ref().take(BLOCKS) {
            let at = DefRef { file: class.file, def };
            if self.owner_of(file, at) == Some(class) {
                self.add_stated_bases(file, at, class, bases);
                added.extend(rules.added_by_block(self, file, at));
            }
        }
        bases.outside |= blocks.next().is_some();
        for at in rules.blocks_elsewhere(self, file, class, name) {
            let index = self.file(at.file);
            self.add_stated_bases(&index, at, class, bases);
            added.extend(rules.added_by_block(self, &index, at));
        }
        bases.types.extend(added.into_iter().filter(|base| *base != class));
    }

    /// The member `name` of a type, its own or inherited. With `call`, one that can be called is preferred.
    pub(crate) fn member(&self, class: DefRef, name: Sym, call: bool) -> Option<Member> {
        let q = Question::TypeMember { class, name, called: call };
        self.w.derive(&self.w.memos.members, q, None, || {
            let line = self.line(class);
            let found = line.types.iter().enumerate().filter_map(|(at, ty)| {
                let def = self.own_member(*ty, name, call)?;
                Some(Member { def, inherited: at > 0 })
            });
            self.first_with_body(found)
        })
    }

    /// `member`, or the definition beside it with the same name that belongs to the type itself (`of_type`) or to its
    /// instances. Both may exist.
    pub(crate) fn same_side(&self, member: DefRef, of_type: bool) -> DefRef {
        let file = self.file(member.file);
        let has_sides = file.traits().members.two_sided;
        let fits = |ix: DefIx| {
            file.outline
                .def(ix)
                .is_some_and(|def| def.kind.is_callable() && def.flags.has(DefFlags::STATIC) == of_type)
        };
        let is_one_sided = has_sides && Self::is_callable(&file, member.def) && !fits(member.def);
        let (Some(name), true) = (file.name(member.def), is_one_sided) else { return member };
        let Some(owner) = self.owner_type(member).filter(|owner| owner.file == member.file) else {
            return member;
        };
        let stated = || {
            let of = file.name(owner.def)?;
            file.owned_by(of, name).find(|ix| fits(*ix))
        };
        let other = file.children(owner.def, name).find(|ix| fits(*ix)).or_else(stated);
        if let Some(def) = other {
            return DefRef { def, ..member };
        }
        // Inherited members have sides, too.
        let line = self.line(owner);
        let inherited = line.types.iter().skip(1).find_map(|base| {
            let file = self.file(base.file);
            let fits = |ix: &DefIx| {
                file.outline
                    .def(*ix)
                    .is_some_and(|def| def.kind.is_callable() && def.flags.has(DefFlags::STATIC) == of_type)
            };
            let def = file.children(base.def, name).find(fits).or_else(|| {
                let of = file.name(base.def)?;
                let at = |def: DefIx| DefRef { def, ..*base };
                file.owned_by(of, name).find(|ix| fits(ix) && self.owner_of(&file, at(*ix)) == Some(*base))
            })?;
            Some(DefRef { def, ..*base })
        });
        inherited.unwrap_or(member)
    }

    /// The member `name` of a base of `class`.
    pub(crate) fn base_member(&self, class: DefRef, name: Sym, call: bool) -> Option<Member> {
        let line = self.line(class);
        let found = line.types.iter().skip(1).filter_map(|ty| self.own_member(*ty, name, call));
        self.first_with_body(found.map(|def| Member { def, inherited: true }))
    }

    /// The first of a type's members; one that only an interface declares comes after what a class or trait defines.
    fn first_with_body(&self, found: impl Iterator<Item = Member>) -> Option<Member> {
        let mut declared = None;
        for member in found {
            if !member.inherited || !self.is_asked_for(member.def) {
                return Some(member);
            }
            declared = declared.or(Some(member));
        }
        declared
    }

    /// Whether `def` is a method that an interface declares and has no code for.
    pub(crate) fn is_asked_for(&self, def: DefRef) -> bool {
        let file = self.file(def.file);
        file.outline.def(def.def).is_some_and(|def| {
            let parent = def.parent.and_then(|parent| file.outline.def(parent));
            def.kind.is_callable()
                && def.body_start.is_none()
                && parent.is_some_and(|parent| parent.kind == SymbolKind::Interface)
        })
    }

    pub(crate) fn own_member(&self, class: DefRef, name: Sym, call: bool) -> Option<DefRef> {
        let file = self.file(class.file);
        self.w.ask_member(&file, class.def, name);
        // A field of the name is taken only if no method has it. It is taken at all because its value may be
        // callable, as in `handler = run`.
        let mut field = None;
        let is_had = |ix: &DefIx| file.outline.def(*ix).is_none_or(|def| !def.flags.has(DefFlags::NAMELESS));
        let rules = self.rules_of(&file);
        let mut within = |at: DefIx| -> Option<DefRef> {
            let first = file.child(at, name)?;
            let first = if is_had(&first) { first } else { file.children(at, name).find(is_had)? };
            let found = |def| DefRef { file: class.file, def };
            if !call {
                return Some(found(rules.read_member(&file, at, name, first)));
            }
            if Self::is_callable(&file, first) {
                return Some(found(first));
            }
            field = field.or(Some(found(first)));
            file.children(at, name).find(|ix| Self::is_callable(&file, *ix) && is_had(ix)).map(found)
        };
        let class_name = file.name(class.def)?;
        if let Some(found) = within(class.def) {
            return Some(rules.defined_apart(self, &file, class, found));
        }
        if let Some(found) = file.merged(class.def).find_map(&mut within) {
            return Some(found);
        }
        let mut of_trait = None;
        for def in file.blocks_with(class_name, name) {
            let Some(found) = file.outline.def(def) else { continue };
            if let Some(member) = within(def)
                && self.owner_of(&file, DefRef { file: class.file, def }) == Some(class)
            {
                if found.bases.is_empty() {
                    return Some(member);
                }
                of_trait = of_trait.or(Some(member));
            }
        }
        for def in file.owned_by(class_name, name) {
            let at = DefRef { file: class.file, def };
            let is_member = file.outline.def(def).is_some_and(|found| rules.is_member(found));
            if is_member && self.owner_of(&file, at) == Some(class) {
                return Some(at);
            }
        }
        of_trait
            .or_else(|| rules.member_by_alias(self, &file, class, name))
            .or_else(|| self.member_elsewhere(&file, class, name))
            .or(field)
    }

    pub(crate) fn is_callable(file: &FileIndex, def: DefIx) -> bool {
        file.outline.def(def).is_some_and(|def| def.kind.is_callable())
    }

    /// A member that is in another file than its type.
    pub(crate) fn member_elsewhere(&self, file: &FileIndex, class: DefRef, name: Sym) -> Option<DefRef> {
        if !file.traits().members.open || self.is_local(class) {
            return None;
        }
        self.rules_of(file).member_elsewhere(self, file, class, name)
    }

    /// The definitions among which a member of `class` in another file is looked for, unless there are too many. Where
    /// members name their type, they are looked up by both names, because many others may share the simple name.
    pub(crate) fn hits_elsewhere(&self, file: &FileIndex, class: DefRef, name: Sym) -> Option<Rc<[NameHit]>> {
        if file.traits().members.name_their_owner {
            self.apart(name, file.name(class.def)?)
        } else {
            self.w.named(name)
        }
    }

    /// The first of `hits` in other files that is of a kind that `may_be_it` accepts and a member of `class`. Those that
    /// `comes_last` accepts come after all others.
    pub(crate) fn first_elsewhere(
        &self,
        file: &FileIndex,
        class: DefRef,
        hits: &[NameHit],
        may_be_it: &dyn Fn(SymbolKind) -> bool,
        comes_last: &dyn Fn(DefRef) -> bool,
    ) -> Option<DefRef> {
        let mut best: Option<((bool, u64), DefRef)> = None;
        for hit in hits.iter().filter(|hit| may_be_it(hit.kind) && hit.file != file.id) {
            let Some(other) = self.w.open(hit.file) else { continue };
            let index = self.file(other);
            let Some(def) = index.find(hit.symbol) else { continue };
            let found = DefRef { file: other, def };
            if self.rules_of(&index).extends(self, &index, found, class) {
                let rank = (comes_last(found), hit.symbol.0);
                if best.is_none_or(|(known, _)| rank < known) {
                    best = Some((rank, found));
                }
            }
        }
        best.map(|(_, def)| def)
    }

    /// The members called `name` outside of their type `class_name`, unless there are too many.
    pub(crate) fn apart(&self, name: Sym, class_name: Sym) -> Option<Rc<[NameHit]>> {
        self.w.named(self.sym(&name_apart(&self.w.text(name), &self.w.text(class_name))))
    }

    /// Whether `member` of the file `index`, or the block that it is in, states `class` as its owner.
    pub(crate) fn states_owner(&self, index: &FileIndex, member: DefRef, class: DefRef) -> bool {
        let Some((at, holder)) = Self::holder_of(index, member) else { return false };
        let Some(owner) = holder.owner else { return false };
        // A member of a type that is defined outside of its own belongs to that type.
        (at == member || !holder.kind.is_type())
            && last_name(&index.outline, owner).is_some_and(|last| self.is_named(class, last))
            && self.owner_of(index, at) == Some(class)
    }

    /// The definition that may state the owner of `member`: itself, or the one around it.
    pub(crate) fn holder_of(index: &FileIndex, member: DefRef) -> Option<(DefRef, &Def)> {
        let found = index.outline.def(member.def)?;
        let def = if found.owner.is_some() { member.def } else { found.parent? };
        Some((DefRef { def, ..member }, index.outline.def(def)?))
    }

    /// Whether `member` of the file `index` is inside a type with the name of `class`, which may be a part of it.
    pub(crate) fn is_in_part(&self, index: &FileIndex, member: DefRef, class: DefRef) -> bool {
        Self::holder_of(index, member).is_some_and(|(at, holder)| {
            let is_named = index.name(at.def) == self.file(class.file).name(class.def);
            holder.owner.is_none() && holder.kind.is_type() && is_named
        })
    }

    /// Whether `text` is the simple name of a type.
    pub(crate) fn is_named(&self, class: DefRef, text: &str) -> bool {
        self.file(class.file).name(class.def) == Some(self.sym(text))
    }
}
