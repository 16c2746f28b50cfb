//! The parts of this program that a person turns on.

use sdl_settings::MODULES;

use crate::{Candidate, Code, Explained, ToolError};

/// A part that is off until a person names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Module {
    /// Memories, lessons, scratch, contexts.
    Memory,
    /// The knowledge graph.
    Kg,
    /// Dispatches, sessions, activity.
    Work,
}

impl Module {
    /// Every module.
    pub(crate) const ALL: [Self; 3] = [Self::Memory, Self::Kg, Self::Work];

    /// The name in settings.
    pub(crate) fn name(self) -> &'static str {
        MODULES.get(self as usize).copied().unwrap_or_default()
    }
}

/// The modules that are on for a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Modules(u8);

impl Modules {
    /// None.
    pub(crate) const NONE: Self = Self(0);
    /// All.
    pub(crate) const EVERY: Self = Self(0b111);

    /// The modules with these names. Others are passed over; the settings have none.
    pub(crate) fn of_names(names: &[String]) -> Self {
        let named = Module::ALL.into_iter().filter(|module| names.iter().any(|name| name == module.name()));
        Self(named.fold(0, |all, module| all | 1 << module as u8))
    }

    /// Whether a module is on.
    pub(crate) fn has(self, module: Module) -> bool {
        self.0 & (1 << module as u8) != 0
    }

    /// The place in a list of all sets.
    pub(crate) fn place(self) -> usize {
        usize::from(self.0)
    }
}

/// How many sets of modules there are.
pub(crate) const SETS: usize = 8;

/// The error for a call of something that belongs to a module that is off.
pub(crate) fn module_off(what: &str, module: Module) -> ToolError {
    let name = module.name();
    let message = format!(
        "{what} belongs to the module {name}, which is off; a person turns it on in mcp.json: \
         {{\"sdl\": {{\"modules\": [\"{name}\"]}}}}"
    );
    ToolError::new(Code::ModuleOff, message)
        .with("module", name)
        .or_one_of([Candidate::of("setting", format!("sdl.modules += {name:?}"))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_settings() {
        let names = Module::ALL.map(Module::name);
        assert_eq!(names, *MODULES);
        let on = Modules::of_names(&["work".to_owned(), "other".to_owned()]);
        assert_eq!(Module::ALL.map(|module| on.has(module)), [false, false, true]);
        assert_eq!(Modules::of_names(&names.map(str::to_owned)), Modules::EVERY);
    }
}
