//! Which names a symbol may have.

use sdl_model::SymbolKind;
use sdl_model::facts::DefFlags;
use sdl_model::lang::{Constructor, Family};
use sdl_retrieve::Sym;

/// Why a name can't be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameProblem {
    /// It is no identifier of the language.
    NotAnIdentifier,
    /// It is a word of the language.
    Reserved,
    /// It is the name that the symbol has.
    Unchanged,
    /// The name has a meaning to the language that the other one has not, such as its first letter in Go.
    OtherMeaning,
    /// The symbol can't have another name; the text says why.
    NotRenamable(&'static str),
}

/// Words that no definition may be called, by family of languages.
const RESERVED: &[(&str, &str)] = &[
    (
        "python",
        "False None True and as assert async await break class continue def del elif else except finally for from global \
         if import in is lambda nonlocal not or pass raise return try while with yield",
    ),
    (
        "ecma",
        "await break case catch class const continue debugger default delete do else enum export extends false finally for \
         function if implements import in instanceof interface let new null package private protected public return static \
         super switch this throw true try typeof var void while with yield",
    ),
    (
        "rust",
        "Self abstract as async await become box break const continue crate do dyn else enum extern false final fn for if \
         impl in let loop macro match mod move mut override priv pub ref return self static struct super trait true try \
         type typeof unsafe unsized use virtual where while yield",
    ),
    (
        "go",
        "break case chan const continue default defer else fallthrough for func go goto if import interface map package \
         range return select struct switch type var",
    ),
    (
        "jvm",
        "abstract assert boolean break byte case catch char class const continue default do double else enum extends false \
         final finally float for fun goto if implements import in instanceof int interface is long native new null object \
         package private protected public return short static strictfp super switch synchronized this throw throws \
         transient true try typealias val var void volatile when while",
    ),
    (
        "c",
        "alignas alignof auto bool break case catch char class const constexpr continue default delete do double else enum \
         explicit export extern false float for friend goto if inline int long mutable namespace new noexcept nullptr \
         operator private protected public register restrict return short signed sizeof static struct switch template \
         this throw true try typedef typename union unsigned using virtual void volatile while",
    ),
    (
        "dotnet",
        "abstract as base bool break byte case catch char checked class const continue decimal default delegate do double \
         else enum event explicit extern false finally fixed float for foreach goto if implicit in int interface internal \
         is lock long namespace new null object operator out override params private protected public readonly ref return \
         sbyte sealed short sizeof stackalloc static string struct switch this throw true try typeof uint ulong unchecked \
         unsafe ushort using virtual void volatile while",
    ),
    (
        "php",
        "abstract and array as break callable case catch class clone const continue declare default do echo else elseif \
         empty enddeclare endfor endforeach endif endswitch endwhile exit extends final finally fn for foreach function \
         global goto if implements include instanceof insteadof interface isset list match namespace new or print private \
         protected public readonly require return static switch throw trait try unset use var while xor yield",
    ),
    (
        "ruby",
        "BEGIN END alias and begin break case class def defined do else elsif end ensure false for if in module next nil \
         not or redo rescue retry return self super then true undef unless until when while yield",
    ),
    (
        "lua",
        "and break do else elseif end false for function goto if in local nil not or repeat return then true until while",
    ),
];

/// Names that programs are started by.
const STARTS: &[&str] = &["main", "init"];

/// Checks that `sym` may be called `new`.
pub(super) fn check_names(sym: &Sym, new: &str) -> Result<(), NameProblem> {
    check_symbol(sym)?;
    let old = sym.name();
    if old == new {
        return Err(NameProblem::Unchanged);
    }
    let Family::Deep(family) = sym.outline().lang.traits().family else {
        return Err(NameProblem::NotRenamable("its language is read for outlines only"));
    };
    let extra = if matches!(family, "ecma" | "jvm" | "php") { "_$" } else { "_" };
    let is_start = |c: char| c.is_alphabetic() || extra.contains(c);
    let is_rest = |c: char| c.is_alphanumeric() || extra.contains(c);
    let mut letters = new.chars();
    let fits = letters.next().is_some_and(is_start) && letters.all(is_rest);
    if !fits || new.len() > 200 {
        return Err(NameProblem::NotAnIdentifier);
    }
    let words = RESERVED.iter().find(|(known, _)| *known == family).map_or("", |(_, words)| words);
    if words.split_whitespace().any(|word| word == new) {
        return Err(NameProblem::Reserved);
    }
    let is_upper = |name: &str| name.chars().next().is_some_and(char::is_uppercase);
    let first_letter_counts = matches!(family, "go" | "ruby") && is_upper(old) != is_upper(new);
    let hides = |name: &str| name.starts_with('_');
    let becomes_hidden = family == "python" && hides(new) && (!hides(old) || new.starts_with("__"));
    if first_letter_counts || becomes_hidden {
        return Err(NameProblem::OtherMeaning);
    }
    Ok(())
}

fn check_symbol(sym: &Sym) -> Result<(), NameProblem> {
    let old = sym.name();
    let why = match sym.kind() {
        SymbolKind::Module => "a module has the name of its file; rename the file",
        SymbolKind::Impl | SymbolKind::Namespace => "a namespace may be open in several places",
        _ if old.starts_with("__") && old.ends_with("__") => "the language gives its name a meaning",
        SymbolKind::Constructor => "a constructor's name is the language's",
        _ if matches!(sym.outline().lang.traits().members.constructor, Constructor::Named(name) if name == old) => {
            "a constructor's name is the language's"
        }
        kind if kind.is_callable() && STARTS.contains(&old) => "programs start by this name",
        _ if sym.def().flags.has(DefFlags::DEFAULT_EXPORT) && old == "default" => "it has no name",
        _ if old.is_empty() || !old.chars().all(|c| c.is_alphanumeric() || "_$".contains(c)) => {
            "its name is not an identifier"
        }
        _ => return Ok(()),
    };
    Err(NameProblem::NotRenamable(why))
}
