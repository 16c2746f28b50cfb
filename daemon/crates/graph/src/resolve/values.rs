//! Reads: values, members and types that are named without being called; configuration.

use sdl_model::facts::{ExprIx, Ref, RefForm};
use sdl_model::{EdgeKind, SymbolKind};

use super::calls::{rule_of, rule_of_receiver};
use super::{Outcome, Resolver};
use crate::infer::{Meaning, Want};
use crate::modules::{ModRef, Place};
use crate::strategies::SETTING;
use crate::world::DefRef;

impl Resolver<'_, '_> {
    /// A name or member that is read.
    pub(crate) fn value(&self, one: &Ref) -> (Outcome, EdgeKind) {
        let outcome = match one.recv {
            Some(recv) => {
                let name = self.infer.own.sym(self.infer.w, one.name);
                if one.form == RefForm::Type {
                    self.qualified_type(one, recv)
                } else {
                    self.member_of(one, recv, name, false)
                }
            }
            None => self.bare_value(one),
        };
        let kind = match &outcome {
            Outcome::Found(targets, _) if targets.iter().all(|target| self.is_setting(*target)) => {
                EdgeKind::Config
            }
            _ => EdgeKind::Ref,
        };
        (outcome, kind)
    }

    /// A name in a label of a `switch`.
    pub(crate) fn label(&self, one: &Ref) -> (Outcome, EdgeKind) {
        match one.recv.and_then(|recv| self.enumerator(one, recv)) {
            Some(found) => (found, EdgeKind::Ref),
            None => self.value(&Ref { form: RefForm::Value, recv: None, ..*one }),
        }
    }

    /// The member that a name means among those of the enumerations that `recv` may be of.
    fn enumerator(&self, one: &Ref, recv: ExprIx) -> Option<Outcome> {
        let value = self.infer.receiver_value(&self.ctx(one), recv, 0, false);
        let name = self.infer.own.sym(self.infer.w, one.name);
        let found = value.ty.each().iter().find_map(|ty| {
            let member = self.infer.own_member(ty.instance_of()?, name, false)?;
            let kind = self.infer.file(member.file).outline.def(member.def)?.kind;
            (kind == SymbolKind::EnumMember).then_some(member)
        })?;
        Some(Outcome::one(found, rule_of_receiver(value.how)))
    }

    fn bare_value(&self, one: &Ref) -> Outcome {
        let ctx = self.ctx(one);
        let want = if one.form == RefForm::Type { Want::Type } else { Want::Any };
        match self.infer.meaning(&ctx, one.name, want) {
            Meaning::Place(Place::Def(def) | Place::Module(ModRef::Inline(def)), via) => {
                Outcome::one(def, rule_of(via))
            }
            Meaning::Place(Place::Module(ModRef::File(file)), via) => {
                Outcome::one(DefRef { file, def: sdl_model::facts::DefIx::MODULE }, rule_of(via))
            }
            Meaning::Place(Place::External, _) => Outcome::External,
            Meaning::Place(Place::Missing, _) if one.form == RefForm::Type => self.unknown_type(one),
            Meaning::Place(Place::Missing, _) => Outcome::External,
            Meaning::Place(Place::Module(_), _)
            | Meaning::Local(_)
            | Meaning::Param(..)
            | Meaning::Generic(_)
            | Meaning::Given(_) => Outcome::Nothing,
        }
    }

    fn qualified_type(&self, one: &Ref, recv: ExprIx) -> Outcome {
        let ctx = self.ctx(one);
        let base = self.infer.place_of(&ctx, recv);
        let found = self.infer.inside(base, ctx.arena.str(one.name));
        let spelled = if found.is_found() { None } else { self.infer.spelled(&ctx, recv, one.name) };
        match spelled.unwrap_or(found) {
            Place::Def(def) => Outcome::one(def, &crate::strategies::QUALIFIED),
            Place::Module(_) => Outcome::Nothing,
            Place::External => Outcome::External,
            Place::Missing => Outcome::Unresolved,
        }
    }

    /// Whether a definition is configuration, such as a variable in `settings.py`, or a constant that names an
    /// environment variable.
    fn is_setting(&self, target: DefRef) -> bool {
        let file = self.infer.file(target.file);
        let Some(def) = file.outline.def(target.def) else { return false };
        let is_value = matches!(
            def.kind,
            SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field | SymbolKind::Property
        );
        if !is_value || target.file == self.infer.own.file {
            return false;
        }
        let holds_settings = |name: &str| {
            let name = name.to_ascii_lowercase();
            ["settings", "config", "configuration"].iter().any(|word| {
                name == *word
                    || name.strip_suffix(word).is_some_and(|rest| rest.ends_with(['_', '-', '.']))
                    || name.strip_prefix(word).is_some_and(|rest| rest.starts_with(['_', '-', '.']))
            }) || matches!(name.as_str(), "conf" | "env" | "global_settings")
        };
        let of_module = || holds_settings(file.path.stem()) || holds_settings(last_part(file.path.dir()));
        let of_type = def
            .parent
            .and_then(|parent| file.outline.def(parent))
            .filter(|parent| parent.kind.is_type())
            .map(|parent| file.outline.str(parent.name).to_ascii_lowercase());
        match of_type {
            Some(name) => ["settings", "config", "configuration"].iter().any(|word| name.ends_with(word)),
            None => def.parent == Some(sdl_model::facts::DefIx::MODULE) && of_module(),
        }
    }

    /// A configuration key or environment variable is read: what in the repository defines it?
    pub(crate) fn setting(&self, one: &Ref) -> Outcome {
        let name = self.infer.own.sym(self.infer.w, one.name);
        let Some(hits) = self.infer.w.named(name) else { return Outcome::External };
        let mut found: Vec<DefRef> = hits
            .iter()
            .filter(|hit| matches!(hit.kind, SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field))
            .filter_map(|hit| {
                let file = self.infer.w.open(hit.file)?;
                let def = self.infer.file(file).find(hit.symbol)?;
                Some(DefRef { file, def })
            })
            .filter(|target| self.is_setting(*target))
            .collect();
        match found.len() {
            1 => found.pop().map_or(Outcome::External, |target| Outcome::one(target, &SETTING)),
            _ => Outcome::External,
        }
    }
}

fn last_part(dir: &str) -> &str {
    dir.rsplit('/').next().unwrap_or(dir)
}
