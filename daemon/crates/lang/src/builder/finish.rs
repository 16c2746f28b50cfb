//! From a builder to facts.

use std::collections::{HashMap, HashSet};

use sdl_model::Lang;
use sdl_model::facts::{
    Binding, BindingKind, Body, Def, DefFlags, DefIx, Expr, ExprIx, Facts, Manifest, Outline, Ref, RefForm,
    StrIx,
};

use super::found::Found;
use super::{Builder, keys};
use crate::classify::is_generated;
use crate::syntax::Syntax;

impl Builder<'_> {
    pub(crate) fn into_facts<L: Syntax>(mut self, lang: Lang, errors: u32) -> Facts {
        let prose = self.take_prose();
        let manifest = self.place_manifest();
        self.drop_lasting_values();
        self.settle_arguments();
        drop_local_reads::<L>(&mut self.refs, &self.bindings, &self.defs);
        self.refs.sort_by_key(|one| one.at);
        self.bindings.sort_by_key(|one| one.from);
        let mut outline = Outline {
            lang,
            lines: self.lines.count(self.bytes.len()),
            arena: self.out.into_arena(),
            defs: self.defs,
            imports: self.imports,
            exports: self.exports,
            package: self.package,
            manifest,
            errors,
            interface: 0,
        };
        keys::set_keys::<L>(lang, &mut outline.defs, &outline.arena);
        mark_generated(&mut outline.defs, self.bytes);
        outline.interface = outline.hash_interface();
        Facts {
            outline,
            body: Body { arena: self.body.into_arena(), refs: self.refs, bindings: self.bindings, prose },
        }
    }
}

impl Builder<'_> {
    /// The manifest with its texts among those of the outline.
    fn place_manifest(&mut self) -> Option<Manifest> {
        let found = self.manifest.take()?;
        let out = &mut self.out;
        Some(Manifest {
            kind: found.kind,
            name: found.name.map(|name| out.str(&name)),
            entries: found.entries.iter().map(|(key, value)| (out.str(key), out.str(value))).collect(),
        })
    }

    /// Removes the values of the module's variables that are set once, because their definitions state these. Where one
    /// is set several times, its value depends on the place.
    fn drop_lasting_values(&mut self) {
        let of_module = |one: &Binding| one.scope == DefIx::MODULE && one.kind == BindingKind::Local;
        let mut counts: HashMap<StrIx, u32> = HashMap::new();
        for one in self.bindings.iter().filter(|one| of_module(one)) {
            *counts.entry(one.name).or_default() += 1;
        }
        // A function is a value of its name too.
        let lasts = |name: StrIx, count: u32| {
            let def = self.find_def(DefIx::MODULE, self.body.text(name));
            def.is_some_and(|def| count < 2 && !self.def(def).kind.is_callable())
        };
        let changes = |value: Option<ExprIx>| match value.map(|value| self.body.expr(value)) {
            Some(Expr::Name(other)) => counts.get(other).is_some_and(|count| !lasts(*other, *count)),
            _ => false,
        };
        // A variable that is set to one that changes has the value that this has there.
        let kept: HashSet<StrIx> = self
            .bindings
            .iter()
            .filter(|one| of_module(one) && changes(one.value))
            .map(|one| one.name)
            .collect();
        let lasting: HashSet<StrIx> = counts
            .iter()
            .filter(|(name, count)| lasts(**name, **count) && !kept.contains(name))
            .map(|(name, _)| *name)
            .collect();
        self.bindings.retain(|one| one.scope != DefIx::MODULE || !lasting.contains(&one.name));
    }
}

/// The facts of a file in a language without an extractor: just the module.
pub(crate) fn bare_facts(lang: Lang, bytes: &[u8]) -> Facts {
    bare_with(lang, bytes, None)
}

/// Like `bare_facts`, with the content of a manifest.
pub(crate) fn bare_with(lang: Lang, bytes: &[u8], manifest: Option<Found>) -> Facts {
    static NO_EFFECTS: super::EffectTable = super::EffectTable::new(&[]);
    let mut builder = Builder::new("", bytes, &NO_EFFECTS, ".");
    builder.close_all();
    builder.manifest = manifest;
    let manifest = builder.place_manifest();
    let mut outline = Outline {
        lines: builder.lines.count(bytes.len()),
        arena: builder.out.into_arena(),
        defs: builder.defs,
        manifest,
        ..Outline::empty(lang)
    };
    for def in &mut outline.defs {
        def.key = keys::module_key();
    }
    mark_generated(&mut outline.defs, bytes);
    outline.interface = outline.hash_interface();
    Facts { outline, body: Body::default() }
}

/// Marks all definitions of a generated file as generated.
fn mark_generated(defs: &mut [Def], bytes: &[u8]) {
    if is_generated(bytes) {
        for def in defs {
            def.flags = def.flags.with(DefFlags::GENERATED);
        }
    }
}

/// Removes reads of local variables and parameters, because they lead to no definition. Calls and members of them are
/// kept, because the variable's type may lead somewhere.
fn drop_local_reads<L: Syntax>(refs: &mut Vec<Ref>, bindings: &[Binding], defs: &[Def]) {
    let mut locals: HashMap<(DefIx, StrIx), Ranges> = HashMap::with_capacity(bindings.len());
    for binding in bindings {
        if matches!(binding.kind, BindingKind::Param | BindingKind::Local) {
            let end = defs.get(binding.scope.0 as usize).map_or(0, |def| def.span.end);
            locals.entry((binding.scope, binding.name)).or_default().add(binding.from, binding.to, end);
        }
    }
    for ranges in locals.values_mut() {
        ranges.inner.sort_unstable();
    }
    refs.retain(|one| {
        let is_read = match one.form {
            RefForm::Value => one.recv.is_none(),
            // A name that is passed to a macro of C.
            RefForm::Macro => L::DECLARATIONS,
            _ => false,
        };
        if !is_read {
            return true;
        }
        let mut scope = Some(one.scope);
        // People don't nest more deeply than this.
        for _ in 0..64 {
            let Some(ix) = scope else { break };
            let Some(def) = defs.get(ix.0 as usize) else { break };
            // Reads of a module's own variables count, because other files can see these variables.
            if ix != DefIx::MODULE
                && locals.get(&(ix, one.name)).is_some_and(|ranges| ranges.hold::<L>(one.at))
            {
                return false;
            }
            scope = def.parent;
        }
        true
    });
}

/// The range in which a local name is known.
#[derive(Default)]
struct Ranges {
    /// From here to the end of its definition.
    whole: Option<u32>,
    /// In these parts of it, in order.
    inner: Vec<(u32, u32)>,
}

impl Ranges {
    fn add(&mut self, from: u32, to: u32, end: u32) {
        if to == end {
            self.whole = Some(self.whole.map_or(from, |whole| whole.min(from)));
        } else {
            self.inner.push((from, to));
        }
    }

    fn hold<L: Syntax>(&self, at: u32) -> bool {
        if self.whole.is_some_and(|from| L::FUNCTION_SCOPED || from <= at) {
            return true;
        }
        // Those that start before it; the one around it is among the last.
        let before = self.inner.partition_point(|(from, _)| *from <= at);
        self.inner.iter().take(before).rev().take(16).any(|(_, to)| at < *to)
    }
}
