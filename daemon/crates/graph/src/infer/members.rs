//! Types and their members: the owner of a definition, the bases of a type, the place of a member.

use std::rc::Rc;

use sdl_ledger::NameHit;
use sdl_model::facts::{BaseKind, DefFlags, DefIx, name_apart};
use sdl_model::lang::Parts;
use sdl_model::{SymbolKind, Visibility};

use super::{Infer, Member, Ty, Typed};
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
                    // A constructor function: its fields are set through `this`.
                    if file.traits().types.constructor_functions
                        && found.kind == SymbolKind::Function
                        && file
                            .outline
                            .defs
                            .iter()
                            .any(|def| def.parent == Some(at) && def.kind == SymbolKind::Field)
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
    pub(super) fn owner_value(&self, file: &FileIndex, def: DefRef) -> Ty {
        let typed = self.w.derive(&self.w.memos.types, Question::Owner(def), Typed::UNKNOWN, || {
            let ty = file.outline.def(def.def).and_then(|found| {
                let ctx = Self::outline_ctx(file, def, None);
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
            // In order of the text, left to right. A type that occurs twice counts at its last place, as in method
            // resolution orders: a shared base comes after all types that derive from it.
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
                let (bases, outside) = self.bases(next);
                line.outside |= outside;
                stack.extend(bases.into_iter().rev());
            }
            Rc::new(line)
        })
    }

    /// Where the bases of a type are looked up: around the type, because its own and inherited members come later.
    /// Mixins are included by code inside the type, which sees the type's members.
    pub(crate) fn base_ctx(file: &FileIndex, at: DefRef, kind: BaseKind) -> super::Ctx<'_> {
        let inside = file.traits().members.mixins && kind == BaseKind::Mixin;
        let scope = match file.outline.def(at.def) {
            Some(def) if def.kind.is_type() && !inside => def.parent.unwrap_or(at.def),
            _ => at.def,
        };
        Self::outline_ctx(file, DefRef { def: scope, ..at }, None)
    }

    /// The types that `class` names as its bases, and whether some are outside the repository.
    fn bases(&self, class: DefRef) -> (Vec<DefRef>, bool) {
        let file = self.file(class.file);
        let mut bases = Vec::new();
        let mut outside = false;
        let mut add = |file: &FileIndex, at: DefRef| {
            let Some(found) = file.outline.def(at.def) else { return };
            for base in &found.bases {
                let ctx = Self::base_ctx(file, at, base.kind);
                for ty in self.stated(&ctx, base.ty).each() {
                    match ty.instance_of() {
                        Some(base) if base != class => bases.push(base),
                        Some(_) => {}
                        None => outside |= *ty != Ty::Null,
                    }
                }
            }
        };
        add(&file, class);
        for part in self.parts(&file, class) {
            add(&self.file(part.file), part);
        }
        for def in file.merged(class.def) {
            add(&file, DefRef { def, ..class });
        }
        let mut behind = Vec::new();
        let mut more = false;
        if let Some(name) = file.name(class.def) {
            // A block that implements nothing has no bases.
            let implements = |def: &&DefIx| file.outline.def(**def).is_some_and(|def| !def.bases.is_empty());
            let mut blocks = file.blocks_of(name).iter().filter(implements);
            for &def in blocks.by_ref().take(BLOCKS) {
                let at = DefRef { file: class.file, def };
                if self.owner_of(&file, at) == Some(class) {
                    add(&file, at);
                    behind.extend(self.dereferenced(&file, at));
                }
            }
            more = blocks.next().is_some();
            for at in self.blocks_elsewhere(&file, class, name) {
                let index = self.file(at.file);
                add(&index, at);
                behind.extend(self.dereferenced(&index, at));
            }
        }
        outside |= more;
        bases.extend(behind.into_iter().filter(|base| *base != class));
        if let Some(held) = file.traits().members.mixin_class_methods {
            let name = self.sym(held);
            let of_mixins: Vec<DefRef> = bases
                .iter()
                .filter_map(|base| Some(DefRef { def: self.file(base.file).child(base.def, name)?, ..*base }))
                .collect();
            bases.extend(of_mixins.into_iter().filter(|base| *base != class));
        }
        if let Some(under) = self.underlying(class) {
            match under.instance_of() {
                Some(under) if under != class => bases.push(under),
                _ => outside = true,
            }
        }
        if let Some(parent) = file
            .outline
            .def(class.def)
            .and_then(|def| (def.kind == SymbolKind::EnumMember).then_some(def.parent).flatten())
        {
            bases.push(DefRef { file: class.file, def: parent });
        }
        (bases, outside)
    }

    /// The other parts of a type that is written in several, any of which may state what it inherits from.
    fn parts(&self, file: &FileIndex, class: DefRef) -> Vec<DefRef> {
        let is_partial = file.traits().types.parts == Parts::Partial;
        let found = file.outline.def(class.def).filter(|_| is_partial);
        let Some(found) = found.filter(|def| def.flags.has(DefFlags::PARTIAL)) else { return Vec::new() };
        let hits = file.name(class.def).and_then(|name| self.w.named(name));
        let mut parts: Vec<(u64, DefRef)> = hits
            .iter()
            .flat_map(|hits| hits.iter())
            .filter(|hit| hit.kind == found.kind && hit.file != file.id)
            .filter_map(|hit| {
                let at = self.w.open(hit.file)?;
                let index = self.file(at);
                let def = index.find(hit.symbol)?;
                let other = index.outline.def(def)?;
                let same = other.flags.has(DefFlags::PARTIAL)
                    && index.outline.str(other.qualified) == file.outline.str(found.qualified)
                    && index.outline.package.map(|text| index.outline.str(text))
                        == file.outline.package.map(|text| file.outline.str(text));
                same.then_some((hit.symbol.0, DefRef { file: at, def }))
            })
            .collect();
        parts.sort_unstable_by_key(|(id, _)| *id);
        parts.into_iter().map(|(_, part)| part).collect()
    }

    /// The type whose members `impl Deref for …` adds.
    fn dereferenced(&self, file: &FileIndex, at: DefRef) -> Option<DefRef> {
        let holds_target = file
            .outline
            .def(at.def)?
            .bases
            .iter()
            .any(|base| last_name(&file.outline, base.ty).is_some_and(|name| name == "Deref"));
        if !holds_target {
            return None;
        }
        let def = file.child(at.def, self.sym("Target"))?;
        let stated = file.outline.def(def)?.ty?;
        self.stated(&Self::outline_ctx(file, DefRef { def, ..at }, None), stated).instance_of()
    }

    /// The underlying type of a named type.
    pub(super) fn underlying(&self, class: DefRef) -> Option<Ty> {
        let file = self.file(class.file);
        let def = file.outline.def(class.def)?;
        (file.traits().types.distinct_aliases && def.kind == SymbolKind::Type).then(|| self.alias(class))
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

    pub(super) fn own_member(&self, class: DefRef, name: Sym, call: bool) -> Option<DefRef> {
        let file = self.file(class.file);
        // A field of the name serves only where no method has it, because its value may be callable.
        let mut field = None;
        let is_had = |ix: &DefIx| file.outline.def(*ix).is_none_or(|def| !def.flags.has(DefFlags::EXPLICIT));
        let mut within = |at: DefIx| -> Option<DefRef> {
            let first = file.child(at, name)?;
            let first = if is_had(&first) { first } else { file.children(at, name).find(is_had)? };
            let found = |def| DefRef { file: class.file, def };
            // A field and a method of one name may be two things. Without a call, the field is meant.
            if !call && file.traits().names.kept_apart && Self::is_callable(&file, first) {
                let field = file.children(at, name).find(|ix| !Self::is_callable(&file, *ix));
                return Some(found(field.unwrap_or(first)));
            }
            if !call || Self::is_callable(&file, first) {
                return Some(found(first));
            }
            field = field.or(Some(found(first)));
            file.children(at, name).find(|ix| Self::is_callable(&file, *ix) && is_had(ix)).map(found)
        };
        let class_name = file.name(class.def)?;
        if let Some(found) = within(class.def) {
            // A class may only declare a member that is defined elsewhere.
            let declared = file.traits().members.out_of_line
                && file
                    .outline
                    .def(found.def)
                    .is_some_and(|def| def.kind.is_callable() && def.flags.has(DefFlags::ABSTRACT));
            let defined = || {
                let is_it =
                    |def: &DefIx| file.outline.def(*def).is_some_and(|def| !Self::is_of_fixture(&file, def));
                let own = file.owned_by(class_name, name).find(is_it);
                own.map(|def| DefRef { file: class.file, def })
                    .or_else(|| self.member_elsewhere(&file, class, class_name, name))
            };
            return Some(if declared { defined().unwrap_or(found) } else { found });
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
            let is_member = file.outline.def(def).is_some_and(|found| !Self::is_of_fixture(&file, found));
            if is_member && self.owner_of(&file, at) == Some(class) {
                return Some(at);
            }
        }
        of_trait
            .or_else(|| self.member_by_alias(&file, class, name))
            .or_else(|| self.member_elsewhere(&file, class, class_name, name))
            .or(field)
    }

    /// A member of a type that an impl block gives it by another name.
    fn member_by_alias(&self, file: &FileIndex, class: DefRef, name: Sym) -> Option<DefRef> {
        file.owning_aliases().iter().find_map(|alias| {
            let is_it = self.alias(DefRef { def: *alias, ..class }).instance_of() == Some(class);
            let blocks = file.blocks_of(file.name(*alias).filter(|_| is_it)?);
            let def = blocks.iter().find_map(|block| file.child(*block, name))?;
            Some(DefRef { def, ..class })
        })
    }

    /// Whether a function only sees its owner's members and is not a member itself, as a test of a fixture.
    fn is_of_fixture(file: &FileIndex, def: &sdl_model::facts::Def) -> bool {
        file.traits().members.out_of_line && def.kind == SymbolKind::Function
    }

    pub(super) fn is_callable(file: &FileIndex, def: DefIx) -> bool {
        file.outline.def(def).is_some_and(|def| def.kind.is_callable())
    }

    /// A member that is in another file than its type.
    fn member_elsewhere(
        &self,
        file: &FileIndex,
        class: DefRef,
        class_name: Sym,
        name: Sym,
    ) -> Option<DefRef> {
        let (members, types) = (&file.traits().members, &file.traits().types);
        if !members.open || self.is_local(class) {
            return None;
        }
        if members.across_package {
            return self.rules(class.file).package_files(self.w, class.file).iter().find_map(|other| {
                let index = self.file(*other);
                index.owned_by(class_name, name).find_map(|def| {
                    let local = index.outline.def(def)?.flags.has(DefFlags::LOCAL);
                    (!local).then_some(DefRef { file: *other, def })
                })
            });
        }
        // Where members name their type, they are looked up by both names, because many others may share the simple
        // name.
        let hits = if members.name_their_owner { self.apart(name, class_name) } else { self.w.named(name) };
        // Very many definitions have the name: look only in the other parts of the type.
        if hits.is_none() && types.parts == Parts::Partial {
            return self.parts(file, class).into_iter().find_map(|part| {
                let index = self.file(part.file);
                let def = index.children(part.def, name).find(|ix| {
                    index.outline.def(*ix).is_some_and(|def| !def.flags.has(DefFlags::EXPLICIT))
                })?;
                Some(DefRef { def, ..part })
            });
        }
        let hits = hits?;
        // A generic type may have blocks under an alias that states its arguments.
        let is_generic = || file.outline.def(class.def).is_some_and(|def| def.generics.is_some());
        let by_alias = types.impl_blocks && hits.is_empty() && is_generic();
        let hits = if by_alias { self.w.named(name)? } else { hits };
        let mut best: Option<((bool, u64), DefRef)> = None;
        let is_partial = types.parts == Parts::Partial
            && file.outline.def(class.def).is_some_and(|def| def.flags.has(DefFlags::PARTIAL));
        // A reopened type may hold types, too.
        let is_reopened = types.parts == Parts::Reopened;
        let is_open = |kind: SymbolKind| {
            kind.is_callable()
                || is_partial
                || (members.out_of_line || is_reopened) && kind.is_type()
                || is_reopened && kind == SymbolKind::Constant
        };
        for hit in hits.iter().filter(|hit| is_open(hit.kind) && hit.file != file.id) {
            let Some(other) = self.w.open(hit.file) else { continue };
            let index = self.file(other);
            let Some(def) = index.find(hit.symbol) else { continue };
            let found = DefRef { file: other, def };
            if self.extends(&index, found, class, class_name) {
                // Definitions for another system come last.
                let elsewhere =
                    file.traits().names.preprocessor && self.rules(found.file).is_elsewhere(self.w, found);
                let rank = (elsewhere, hit.symbol.0);
                if best.is_none_or(|(known, _)| rank < known) {
                    best = Some((rank, found));
                }
            }
        }
        best.map(|(_, def)| def)
    }

    /// The members called `name` outside of their type `class_name`, unless there are too many.
    fn apart(&self, name: Sym, class_name: Sym) -> Option<Rc<[NameHit]>> {
        self.w.named(self.sym(&name_apart(&self.w.text(name), &self.w.text(class_name))))
    }

    /// The blocks `impl … for` a type that are in other files.
    fn blocks_elsewhere(&self, file: &FileIndex, class: DefRef, class_name: Sym) -> Vec<DefRef> {
        if !file.traits().types.impl_blocks || self.is_local(class) {
            return Vec::new();
        }
        let hits = self.apart(self.sym(""), class_name);
        let mut found: Vec<(u64, DefRef)> = hits
            .iter()
            .flat_map(|hits| hits.iter())
            .filter(|hit| hit.kind == SymbolKind::Impl && hit.file != file.id)
            .filter_map(|hit| {
                let at = self.w.open(hit.file)?;
                let index = self.file(at);
                let block = DefRef { file: at, def: index.find(hit.symbol)? };
                (self.owner_of(&index, block) == Some(class)).then_some((hit.symbol.0, block))
            })
            .collect();
        found.sort_unstable_by_key(|(id, _)| *id);
        found.into_iter().map(|(_, block)| block).collect()
    }

    /// The member `name` that a type has by implementing a trait called `of`.
    pub(crate) fn implemented(&self, class: DefRef, of: &str, name: Sym) -> Option<DefRef> {
        let file = self.file(class.file);
        let class_name = file.name(class.def)?;
        let own = file.blocks_of(class_name).iter().map(|def| DefRef { file: class.file, def: *def });
        let own = own.filter(|at| self.owner_of(&file, *at) == Some(class));
        own.chain(self.blocks_elsewhere(&file, class, class_name)).find_map(|at| {
            let index = self.file(at.file);
            let block = index.outline.def(at.def).filter(|def| def.kind == SymbolKind::Impl)?;
            let names_it = |base: &sdl_model::facts::Base| last_name(&index.outline, base.ty) == Some(of);
            block.bases.iter().any(names_it).then_some(())?;
            Some(DefRef { def: index.child(at.def, name)?, ..at })
        })
    }

    /// Whether `member` is stated to belong to `class`, by its own owner, its impl block or a reopened class.
    fn extends(&self, index: &FileIndex, member: DefRef, class: DefRef, class_name: Sym) -> bool {
        let Some(found) = index.outline.def(member.def) else { return false };
        let types = &index.traits().types;
        // A function private to its file extends nothing in other files.
        if index.traits().members.private_to_file
            && found.parent == Some(DefIx::MODULE)
            && found.visibility == Visibility::Private
        {
            return false;
        }
        if Self::is_of_fixture(index, found) {
            return false;
        }
        let holder = if found.owner.is_some() { Some(member.def) } else { found.parent };
        let Some(holder) = holder else { return false };
        let Some(def) = index.outline.def(holder) else { return false };
        let at = DefRef { file: member.file, def: holder };
        match def.owner {
            // A member of a type that is defined outside of its own belongs to that type.
            Some(_) if holder != member.def && def.kind.is_type() => false,
            Some(owner) => {
                // Parts of a reopened type are in several files. None takes precedence.
                (types.impl_blocks
                    || last_name(&index.outline, owner).is_some_and(|last| self.sym(last) == class_name))
                    && (types.parts == Parts::Reopened || self.owner_of(index, at) == Some(class))
            }
            // Partial and reopened classes.
            None => {
                types.parts != Parts::Whole && def.kind.is_type() && index.name(holder) == Some(class_name)
            }
        }
    }
}
