//! The half of a file's facts that only its own resolution and search need.

use serde::{Deserialize, Serialize};

use super::{Arena, DefIx, ExprIx, StrIx};

/// The syntactic form of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RefForm {
    /// `f(…)`.
    Call,
    /// `recv.f(…)`, `recv->f(…)`.
    MethodCall,
    /// `a::f(…)`.
    PathCall,
    /// `new T(…)`, `T {…}`; `recv` is the qualifier of `T`.
    Construct,
    /// `f!(…)` or a preprocessor macro by form.
    Macro,
    /// A call of a value that no name gives: `f()()`, `table["run"]()`. `recv` is the value, `name` is [`CALLED`].
    Held,
    /// `@f`, `#[f]`.
    Decorator,
    /// A statement that goes through the elements of `recv`, such as `for x in y`. `name` is [`ITERATED`].
    Iterate,
    /// A name read as a value: passed, assigned, returned.
    Value,
    /// A member read or written without a call.
    Attr,
    /// A name used as a type.
    Type,
    /// A name in a label of a `switch` over `recv`: a member of its enumeration, else a value, as in Java.
    Label,
    /// A configuration key or environment variable that is read, such as `os.environ["HOME"]`; `name` is the key.
    Config,
    /// A function that is passed to one of the standard library which runs it: `list.map(f)`. `recv` is the function,
    /// `given` what the library's function is called on, if it is a method. `name` is [`HANDED`].
    Handed,
    /// A member whose name the code makes up: `getattr(recv, "visit_" + kind)`. `name` is what all of the names begin
    /// with.
    Prefix,
}

/// The name in a [`RefForm::Held`], which is no name in any language.
pub const CALLED: &str = "()";

/// The name in a [`RefForm::Iterate`], which is no name in any language.
pub const ITERATED: &str = "[]";

/// The name in a [`RefForm::Handed`], which is no name in any language.
pub const HANDED: &str = "(f)";

/// The name of the parameter at `place`, where the text takes it apart and gives it none: `{0}` of `({ f }) => …`.
pub fn parameter_at(place: usize) -> String {
    format!("{{{place}}}")
}

/// The place of a parameter with such a name.
pub fn parameter_place(name: &str) -> Option<usize> {
    name.strip_prefix('{')?.strip_suffix('}')?.parse().ok()
}

/// One reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Ref {
    /// The innermost definition around it.
    pub scope: DefIx,
    /// Its form.
    pub form: RefForm,
    /// The name that must be found: the last part.
    pub name: StrIx,
    /// The part before the name.
    pub recv: Option<ExprIx>,
    /// How many arguments, for calls.
    pub args: u8,
    /// The arguments as an [`super::Expr::Tuple`]: in languages that choose among functions by it, and where an argument
    /// may be a function. After those by position there may be a [`super::Expr::Record`] with those by name, within a
    /// [`super::Expr::Unwrap`].
    pub given: Option<ExprIx>,
    /// Its line.
    pub line: u32,
    /// Byte offset of the name.
    pub at: u32,
}

/// How a local name is introduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BindingKind {
    /// A parameter.
    Param,
    /// A local variable.
    Local,
    /// A field of the receiver, assigned in a method: `self.x = …`; `name` is the field.
    Field,
    /// A name declared to live outside: `global x`, `nonlocal x`.
    Outer,
    /// A local or parameter that a test has shown to be of a type: `isinstance(x, T)`.
    Narrowed,
}

/// One local name, with everything that the text states about its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Binding {
    /// The definition in whose body it lives.
    pub scope: DefIx,
    /// How it is introduced.
    pub kind: BindingKind,
    /// Its name.
    pub name: StrIx,
    /// Its stated type.
    pub ty: Option<ExprIx>,
    /// The value it is set to.
    pub value: Option<ExprIx>,
    /// First byte from which it can be seen.
    pub from: u32,
    /// One past the last byte at which it can be seen.
    pub to: u32,
}

/// The words of a comment or a text literal, for search. Documentation is with its definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Prose {
    /// The innermost definition around it.
    pub scope: DefIx,
    /// Its words in their order, without anything that is not a word, at most a few hundred bytes.
    pub text: StrIx,
}

/// The half of a file's facts that only its own resolution and search need.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Body {
    /// Texts and expressions of this half.
    pub arena: Arena,
    /// The references, in the order of the text.
    pub refs: Vec<Ref>,
    /// The local names, in the order of the text.
    pub bindings: Vec<Binding>,
    /// The comments and text literals inside definitions, in the order of the text.
    pub prose: Vec<Prose>,
}
