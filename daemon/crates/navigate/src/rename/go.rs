//! What Go adds to a rename: embedded fields, which have the name of their type, and interfaces that no type names.

use sdl_model::facts::DefIx;
use sdl_model::lang::Family as LangFamily;
use sdl_model::{EdgeKind, SymbolKind};
use sdl_retrieve::members::{member_owner, members_elsewhere, own_members};
use sdl_retrieve::{Result, Source, Sym};

use super::family::{MOST_NAMESAKES, derives_from_outside};
use crate::graph::MAX_LINKS;

/// The language's family.
pub(super) const GO: LangFamily = LangFamily::Deep("go");

/// Most methods of a type that are compared with those of interfaces.
const MOST_METHODS: usize = 64;

/// Methods of the interfaces of Go's standard library, which types satisfy without naming them.
const STANDARD_METHODS: &[&str] = &[
    "Addr",
    "Align",
    "AppendBinary",
    "AppendText",
    "As",
    "At",
    "Begin",
    "BlockSize",
    "Bounds",
    "Close",
    "ColorModel",
    "Columns",
    "Commit",
    "Deadline",
    "Done",
    "Enabled",
    "Err",
    "Error",
    "Exec",
    "Flag",
    "Flush",
    "Format",
    "Get",
    "Glob",
    "GoString",
    "GobDecode",
    "GobEncode",
    "Handle",
    "Header",
    "Hijack",
    "Info",
    "Int63",
    "Is",
    "IsDir",
    "Len",
    "Less",
    "LocalAddr",
    "Lock",
    "LogValue",
    "Lstat",
    "MarshalBinary",
    "MarshalJSON",
    "MarshalText",
    "MarshalXML",
    "MarshalXMLAttr",
    "ModTime",
    "Mode",
    "Name",
    "Network",
    "Next",
    "NumInput",
    "Open",
    "Pop",
    "Precision",
    "Prepare",
    "Push",
    "Query",
    "RGBA",
    "Read",
    "ReadAt",
    "ReadByte",
    "ReadDir",
    "ReadFile",
    "ReadFrom",
    "ReadLink",
    "ReadRune",
    "Readdir",
    "RemoteAddr",
    "Reset",
    "Rollback",
    "RoundTrip",
    "Scan",
    "Seed",
    "Seek",
    "ServeHTTP",
    "Set",
    "SetDeadline",
    "SetReadDeadline",
    "SetWriteDeadline",
    "Size",
    "Stat",
    "String",
    "Sub",
    "Sum",
    "Sum32",
    "Sum64",
    "Swap",
    "Sys",
    "Temporary",
    "Timeout",
    "Token",
    "Type",
    "Uint64",
    "Unlock",
    "UnmarshalBinary",
    "UnmarshalJSON",
    "UnmarshalText",
    "UnmarshalXML",
    "UnmarshalXMLAttr",
    "UnreadByte",
    "UnreadRune",
    "Unwrap",
    "Value",
    "Width",
    "WithAttrs",
    "WithGroup",
    "Write",
    "WriteAt",
    "WriteByte",
    "WriteHeader",
    "WriteString",
    "WriteTo",
];

fn is_go(sym: &Sym) -> bool {
    sym.outline().lang.traits().family == GO
}

/// The fields by which structs embed a type, and the type that an embedded field has.
pub(super) fn embeddings(source: &Source<'_>, sym: &Sym) -> Result<Vec<Sym>> {
    if !is_go(sym) {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    if sym.kind().is_type() {
        let edges = source.view().in_edges(sym.id, MAX_LINKS)?;
        for edge in edges.iter().filter(|edge| edge.kind == EdgeKind::Implements) {
            let Some(holder) = source.symbol(edge.from)? else { continue };
            let fields = own_members(&holder).into_iter().filter_map(|ix| holder.beside(ix));
            found.extend(fields.filter(|field| field.name() == sym.name() && is_embedded(field)));
        }
    } else if is_embedded(sym)
        && let Some(holder) = member_owner(source, sym)?
    {
        let edges = source.view().out_edges(holder.id)?;
        for edge in edges.iter().filter(|edge| edge.kind == EdgeKind::Implements) {
            found.extend(source.symbol(edge.to)?.filter(|ty| ty.name() == sym.name()));
        }
    }
    Ok(found)
}

/// Whether a symbol is a field that embeds a type.
pub(super) fn is_embedded(sym: &Sym) -> bool {
    let outline = sym.outline();
    let holder = sym.def().parent.filter(|parent| *parent != DefIx::MODULE);
    let holder = holder.and_then(|parent| outline.def(parent));
    is_go(sym)
        && sym.kind() == SymbolKind::Field
        && holder.is_some_and(|holder| {
            holder
                .bases
                .iter()
                .any(|base| base.line == sym.line() && outline.last_name(base.ty) == Some(sym.name()))
        })
}

/// Whether an interface from outside of the repository may ask for a method: one of the standard library, or one that
/// an interface of the repository embeds. Of the latter the repository does not show all methods, so a type that has
/// one of those that it shows may have the method for it.
pub(super) fn may_be_asked_for(source: &Source<'_>, sym: &Sym, owner: &Sym) -> Result<bool> {
    let is_exported = sym.name().starts_with(char::is_uppercase);
    if !is_go(sym) || !sym.kind().is_callable() || !is_exported || owner.kind() == SymbolKind::Interface {
        return Ok(false);
    }
    if STANDARD_METHODS.binary_search(&sym.name()).is_ok() {
        return Ok(true);
    }
    let own = own_members(owner).into_iter().filter_map(|ix| owner.beside(ix));
    let methods = own.chain(members_elsewhere(source, owner)?).filter(|member| member.kind().is_callable());
    for method in methods.take(MOST_METHODS) {
        for hit in source.view().named_up_to(method.name(), MOST_NAMESAKES)? {
            if hit.kind != SymbolKind::Method || hit.symbol == method.id {
                continue;
            }
            let Some(other) = source.symbol(hit.symbol)?.filter(is_go) else { continue };
            let asking = member_owner(source, &other)?.filter(|ty| ty.kind() == SymbolKind::Interface);
            if let Some(asking) = asking
                && derives_from_outside(source, &other, &asking)?
            {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Whether a type from outside of the repository may satisfy an interface by a method: if both may be named there.
pub(super) fn may_be_had_outside(method: &Sym, interface: &Sym) -> bool {
    let is_exported = |sym: &Sym| sym.name().starts_with(char::is_uppercase);
    is_go(method)
        && interface.kind() == SymbolKind::Interface
        && is_exported(method)
        && is_exported(interface)
}

/// Whether an example function has the name of a symbol, as `ExampleClient` and `ExampleClient_Get` have: the tools of Go
/// look for what an example names.
pub(super) fn names_an_example(source: &Source<'_>, sym: &Sym) -> Result<bool> {
    if !is_go(sym) {
        return Ok(false);
    }
    let owner = member_owner(source, sym)?.filter(|_| !sym.kind().is_type());
    let example = match owner {
        Some(owner) => format!("Example{}_{}", owner.name(), sym.name()),
        None => format!("Example{}", sym.name()),
    };
    Ok(!source.view().named_up_to(&example, 1)?.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_sorted_for_their_search() {
        assert!(STANDARD_METHODS.is_sorted());
    }
}
