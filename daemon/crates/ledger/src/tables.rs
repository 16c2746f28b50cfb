//! Every table of every environment. Numbers in keys are big endian, because then the order of keys is that of
//! numbers. Texts in keys are as [`crate::codec::text_key`] makes them. A table is "of several" where it gives a
//! value size: there a key has any number of values of that size, sorted and without doubles, and the environment stores
//! them in blocks. Every row bears a checksum, which the environment adds and takes off: sizes here leave it out.

use crate::codec::{FILE_ITEM, IN_EDGE_ITEM, NAME_ITEM, POSTING_ITEM, SHORT_ITEM};
use crate::env::{Table, TableSpec};

macro_rules! tables {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $table:ident: $item:expr,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy)]
        pub(crate) struct $name {
            $($(#[$doc])* pub(crate) $table: Table,)*
        }

        impl $name {
            /// All of them, in the order of the declaration.
            pub(crate) const SPECS: &'static [TableSpec] =
                &[$(TableSpec {
                    name: stringify!($table), generation: 0, item: $item, sealed: true,
                },)*];

            /// Takes the open tables in the order of [`Self::SPECS`].
            pub(crate) fn bind(tables: &[Table]) -> Option<Self> {
                let mut tables = tables.iter().copied();
                Some(Self { $($table: tables.next()?,)* })
            }

            /// All of them.
            pub(crate) fn all(&self) -> impl Iterator<Item = Table> {
                [$(self.$table,)*].into_iter()
            }
        }
    };
}

tables! {
    /// One repository's ledger.
    LedgerTables {
        /// Maps a word to a record: `schema` (u32), `state`, `counters`, `git` (the HEAD that the newest version recorded).
        meta: 0,
        /// Maps a file to its row.
        files: 0,
        /// Maps a path to its file; the files of every state, in order of path.
        paths: 0,
        /// Maps a file to its last `stat`. Belongs to no version.
        stats: 0,
        /// Maps an indexed file to its published part, compressed: interface, package, symbols with their names and kinds.
        publics: 0,
        /// Maps a file of C or C++ to its language and the files that it includes as text.
        inclusions: 0,
        /// Maps the last part of a path, such as `auth.ts`, to the indexed files that have it.
        file_names: FILE_ITEM,
        /// Maps a folder to the indexed files directly in it.
        dirs: FILE_ITEM,
        /// Maps a package, such as `com.shop.cart`, to the files that declare it.
        packages: FILE_ITEM,
        /// Maps a module as an import names it, such as `requests.sessions`, to the files that import it.
        imports: FILE_ITEM,
        /// Maps a simple name to its definitions.
        names: NAME_ITEM,
        /// Maps the first bits of a symbol's id to the symbols that begin with them, their files and kinds.
        symbols: NAME_ITEM,
        /// Maps a symbol to its outgoing edges, packed.
        out_edges: 0,
        /// Maps a symbol to its incoming edges.
        in_edges: IN_EDGE_ITEM,
        /// Maps a resolved file to its counts, its symbols with edges, and the names it left open.
        resolved: 0,
        /// Maps a resolved file to the hashes of the lookup keys that it asked.
        questions: SHORT_ITEM,
        /// Maps a lookup key's hash to the marks of the files that asked it.
        asked: SHORT_ITEM,
        /// Maps a search term to its postings.
        postings: POSTING_ITEM,
        /// Maps a version to its row.
        versions: 0,
        /// Maps (file, version) to the file's row before that version changed it.
        file_history: 0,
        /// Maps (symbol, version) to the symbol's outgoing edges before that version changed them.
        edge_history: 0,
        /// Maps a slice's handle to its lease. Belongs to no version.
        leases: 0,
    }
}

tables! {
    /// The facts of every repository.
    FactsTables {
        /// Maps a word to a record: `schema` (u32).
        meta: 0,
        /// Maps a facts key to the briefs, the outline and the body, compressed.
        facts: 0,
        /// Maps a facts key to the reason for which these bytes could not be parsed.
        failures: 0,
    }
}

impl LedgerTables {
    /// The tables that both generations share.
    const SHARED: [&'static str; 5] = ["meta", "versions", "file_history", "edge_history", "leases"];

    /// The tables of both generations: [`Self::SPECS`], then the second table of each kind of content.
    pub(crate) fn both_specs() -> Vec<TableSpec> {
        let content = Self::SPECS.iter().filter(|spec| !Self::SHARED.contains(&spec.name));
        let second = content.map(|spec| TableSpec { generation: 1, ..*spec });
        Self::SPECS.iter().copied().chain(second).collect()
    }

    /// Takes the open tables of both generations, in the order of [`Self::both_specs`].
    pub(crate) fn bind_both(tables: &[Table]) -> Option<[Self; 2]> {
        let (first, second) = tables.split_at_checked(Self::SPECS.len())?;
        let mut second = second.iter().copied();
        let second = first
            .iter()
            .map(|table| if Self::SHARED.contains(&table.spec.name) { Some(*table) } else { second.next() })
            .collect::<Option<Vec<Table>>>()?;
        Some([Self::bind(first)?, Self::bind(&second)?])
    }

    /// The tables that each generation has for itself: the content of one version.
    pub(crate) fn of_content(&self) -> impl Iterator<Item = Table> {
        self.all().filter(|table| !Self::SHARED.contains(&table.spec.name))
    }

    /// The tables that hold the past.
    pub(crate) fn of_the_past(&self) -> [Table; 3] {
        [self.versions, self.file_history, self.edge_history]
    }
}
