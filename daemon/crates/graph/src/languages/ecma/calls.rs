//! JavaScript and TypeScript: constructors that are properties, and names that hold functions.

use sdl_model::facts::{BaseKind, BindingKind, Def, DefFlags, DefIx, Expr, ExprIx, Ref};
use sdl_model::{Lang, SymbolKind};

use super::Ecma;
use crate::infer::Infer;
use crate::resolve::{CallRules, Outcome, Resolver};
use crate::strategies::{CHOSEN_FUNCTION, Rule};
use crate::words::words;
use crate::world::{DefRef, FileIndex, Sym};

/// The property by which an object names its class.
const CONSTRUCTOR: &str = "constructor";

impl CallRules for Ecma {
    fn is_builtin_member(&self, _: Lang, name: &str) -> bool {
        BUILTIN.contains(name)
    }

    /// A default export without a name holds the result of the code that made it: `export default create()`.
    fn holds_result(&self, file: &FileIndex, def: &Def) -> bool {
        def.kind == SymbolKind::Constant
            && def.flags.has(DefFlags::DEFAULT_EXPORT)
            && file.outline.str(def.name) == "default"
    }

    fn held_local(&self, resolver: &Resolver<'_, '_>, one: &Ref, local: u32) -> Outcome {
        let value = resolver.infer.local_type(local);
        let binding = resolver.infer.own.binding(resolver.infer.w, local);
        if binding.is_some_and(|binding| binding.kind == BindingKind::Param) {
            return resolver.passed_call(local).unwrap_or_else(|| resolver.held(&value, false));
        }
        match resolver.called_value_from(&value, resolver.infer.local_origin(local)) {
            Outcome::Found(found, _) if resolver.is_around(one, &found) => Outcome::Unresolved,
            held => held,
        }
    }

    fn named_value(&self, resolver: &Resolver<'_, '_>, def: DefRef) -> Option<DefRef> {
        (is_variable(resolver, def) || is_property(resolver, def))
            .then(|| resolver.infer.named_by(def))
            .flatten()
    }

    fn follows_values(&self) -> bool {
        true
    }

    /// A variable has the type of all that it may be set to, and no name of a function.
    fn chosen_rule(&self) -> &'static Rule {
        &CHOSEN_FUNCTION
    }

    /// `f.call(…)` and `f.apply(…)` run the function.
    fn member_call(
        &self,
        resolver: &Resolver<'_, '_>,
        one: &Ref,
        recv: ExprIx,
        name: Sym,
    ) -> Option<Outcome> {
        let is_run = matches!(&*resolver.infer.w.text(name), "call" | "apply");
        is_run.then(|| resolver.applied_function(one, recv)).flatten()
    }

    /// `super(…)` means the base class, like `new Base()`, even where the base inherits its constructor.
    fn super_member(&self, infer: &Infer<'_, '_>, class: DefRef, name: Sym, call: bool) -> Option<DefRef> {
        if call
            && &*infer.w.text(name) == CONSTRUCTOR
            && let Some(base) = base_class(infer, class)
        {
            return Some(infer.constructor(base).unwrap_or(base));
        }
        Some(infer.base_member(class, name, call)?.def)
    }

    /// `new this.constructor()` constructs the object's own class, which may derive from the type here.
    fn is_own_constructor(&self, resolver: &Resolver<'_, '_>, one: &Ref, found: &[DefRef]) -> bool {
        resolver.infer.own.arena().str(one.name) == CONSTRUCTOR
            && !found.iter().any(|def| resolver.is_function(*def))
    }

    /// The number of arguments is not compared, because calls in JavaScript may leave arguments out, and pass more
    /// than there are parameters.
    fn narrow_guess(&self, resolver: &Resolver<'_, '_>, one: &Ref, found: &mut Vec<DefRef>) {
        if self.is_typed {
            resolver.drop_unfitting(one, found);
        }
    }
}

/// The class that `class` extends.
fn base_class(infer: &Infer<'_, '_>, class: DefRef) -> Option<DefRef> {
    let file = infer.file(class.file);
    let base = file.outline.def(class.def)?.bases.iter().find(|base| base.kind == BaseKind::Extends)?;
    let ctx = infer.base_ctx(&file, class, base.kind);
    let found = infer.stated(&ctx, base.ty).instance_of()?;
    let kind = infer.file(found.file).outline.def(found.def)?.kind;
    (kind == SymbolKind::Class).then_some(found)
}

/// Whether `def` is a variable.
fn is_variable(resolver: &Resolver<'_, '_>, def: DefRef) -> bool {
    let kind = resolver.infer.file(def.file).outline.def(def.def).map(|def| def.kind);
    matches!(kind, Some(SymbolKind::Variable | SymbolKind::Constant))
}

/// Whether `def` is a property of an object literal, and not a field that each object of a class has.
fn is_property(resolver: &Resolver<'_, '_>, def: DefRef) -> bool {
    let infer = &resolver.infer;
    let file = infer.file(def.file);
    let kind = |ix: DefIx| file.outline.def(ix).map(|def| def.kind);
    let parent = file.outline.def(def.def).and_then(|def| def.parent);
    // An alias on a prototype: in a class it is a member of the class, but other functions may be anything.
    let of_class = || {
        let owner = infer.owner_of(&file, def);
        owner.is_some_and(|owner| {
            let file = infer.file(owner.file);
            file.outline.def(owner.def).is_some_and(|def| def.kind == SymbolKind::Class)
        })
    };
    let arena = &file.outline.arena;
    let is_of_prototype = || {
        let Expr::Attr(base, _) = arena.expr(file.outline.def(def.def)?.value?) else { return None };
        let Expr::Attr(_, name) = arena.expr(*base) else { return None };
        Some(arena.str(*name) == "prototype")
    };
    kind(def.def) == Some(SymbolKind::Field)
        && (is_of_prototype() != Some(true) || of_class())
        && matches!(
            parent.and_then(kind),
            Some(SymbolKind::Module | SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field)
        )
}

words! {
    BUILTIN = "\
        abort add addEventListener addListener all appendChild apply arrayBuffer assign at bind blob call \
        catch charAt charCodeAt clear close codePointAt concat copyWithin create debug defineProperty delete \
        destroy dispatchEvent emit end endsWith entries error every exec fill filter finally find findIndex \
        findLast findLastIndex flat flatMap forEach freeze get getAttribute getTime has hasOwnProperty \
        includes indexOf info isPrototypeOf join json keys lastIndexOf listeners localeCompare log map match \
        matchAll next normalize off on once open padEnd padStart parse pipe pop push querySelector \
        querySelectorAll race read reduce reduceRight reject removeAllListeners removeChild \
        removeEventListener removeListener repeat replace replaceAll resolve return reverse search set \
        setAttribute shift size slice some sort splice split startsWith stringify substr substring test text \
        then throw toFixed toISOString toJSON toLocaleString toLowerCase toPrecision toReversed toSorted \
        toString toUpperCase trim trimEnd trimStart unshift valueOf values warn with write";
}
