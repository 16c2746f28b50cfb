//! Opening an environment of any kind: schema, migrations, damage.

use std::path::{Path, PathBuf};

use crate::env::{Env, Folder, Reads, Sync, Table, TableSpec, Write};
use crate::{Error, Options, Result};

/// How a store came to be open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// It was not there.
    Created,
    /// It was there.
    Existing,
    /// It was there in an older schema and was brought up to date.
    Migrated {
        /// The schema it had.
        from: u32,
    },
    /// It was damaged: its files were set aside and an empty one was made.
    Rebuilt {
        /// Where its files are now.
        set_aside: PathBuf,
        /// Its fault.
        why: String,
    },
}

/// Brings a store from one schema number to the next, for example from 3 to 4, in the transaction that opens it.
pub(crate) struct Upgrade {
    /// The schema number that it starts from; it ends at the next.
    pub(crate) from: u32,
    /// Does it. All tables of the new schema exist; old ones can be found by name.
    pub(crate) run: fn(&mut Write<'_>, &[Table]) -> Result<()>,
}

/// The parts of a kind of store.
pub(crate) struct Plan<'p> {
    /// Its schema number.
    pub(crate) schema: u32,
    /// Its tables; the first is `meta`.
    pub(crate) tables: &'p [TableSpec],
    /// When commits reach the disk.
    pub(crate) sync: Sync,
    /// The upgrades, by the number they start from.
    pub(crate) upgrades: &'p [Upgrade],
}

const SCHEMA: &[u8] = b"schema";
/// Tables of older schemas that an upgrade may have to open besides the present ones.
const SPARE_TABLES: usize = 16;

/// Opens the store in `dir`, makes it, or sets it aside and makes it again.
pub(crate) fn open_store(dir: &Path, plan: &Plan<'_>, options: &Options) -> Result<(Env, Vec<Table>, How)> {
    open_folder(Folder::take(dir)?, plan, options)
}

/// The same for a folder that is taken already.
pub(crate) fn open_folder(
    mut folder: Folder,
    plan: &Plan<'_>,
    options: &Options,
) -> Result<(Env, Vec<Table>, How)> {
    let mut aside = None;
    if let Some(why) = folder.damage(plan.sync) {
        aside = Some((folder.set_aside(plan.sync)?, why));
    }
    loop {
        let error = match Env::open(folder, plan.tables.len() + SPARE_TABLES, plan.sync, options) {
            Err((back, error)) => {
                folder = back;
                error
            }
            Ok(env) => match env.retry(|| prepare_tables(&env, plan)) {
                Ok((tables, how)) => {
                    let how = match aside {
                        Some((set_aside, why)) => How::Rebuilt { set_aside, why },
                        None => how,
                    };
                    return Ok((env, tables, how));
                }
                Err(error) => {
                    folder = env.close()?;
                    error
                }
            },
        };
        if aside.is_some() || !error.is_damage() {
            return Err(error);
        }
        aside = Some((folder.set_aside(plan.sync)?, error.to_string()));
    }
}

fn prepare_tables(env: &Env, plan: &Plan<'_>) -> Result<(Vec<Table>, How)> {
    let mut txn = env.write()?;
    let Some(meta) = plan.tables.first() else { return Err(Error::Misuse("a store needs tables")) };
    let found = match txn.find_table(*meta)? {
        Some(meta) => Some(schema_of(&txn, meta, plan.schema)?),
        None => None,
    };
    if let Some(found) = found
        && found > plan.schema
    {
        return Err(Error::Newer { path: env.path().to_owned(), found, known: plan.schema });
    }
    let tables = plan.tables.iter().map(|spec| txn.create_table(*spec)).collect::<Result<Vec<_>>>()?;
    let how = match found {
        None => How::Created,
        Some(found) if found == plan.schema => How::Existing,
        Some(from) => {
            for number in from..plan.schema {
                let Some(upgrade) = plan.upgrades.iter().find(|upgrade| upgrade.from == number) else {
                    let why = format!("schema {number} is too old to be brought up to date");
                    return Err(crate::codec::corrupt_record("meta", why));
                };
                (upgrade.run)(&mut txn, &tables)?;
            }
            tracing::info!(path = %env.path().display(), from, to = plan.schema, "brought the store up to date");
            How::Migrated { from }
        }
    };
    if how != How::Existing
        && let Some(meta) = tables.first()
    {
        txn.put(*meta, SCHEMA, &plan.schema.to_be_bytes())?;
    }
    txn.commit()?;
    env.locate_map()?;
    Ok((tables, how))
}

/// The schema number of a store. Before there were checksums it stood alone.
fn schema_of(txn: &Write<'_>, meta: Table, known: u32) -> Result<u32> {
    let odd = |why| crate::codec::corrupt_record("meta", why);
    let read = |table: Table| {
        let bytes = txn.get(table, SCHEMA)?.ok_or_else(|| odd("no schema number"))?;
        Ok::<_, Error>(<[u8; 4]>::try_from(bytes).ok().map(u32::from_be_bytes))
    };
    match read(meta.unsealed())? {
        Some(number) if meta.spec.sealed && number >= known => {
            Err(odd("a schema number without its checksum"))
        }
        Some(number) => Ok(number),
        None if meta.spec.sealed => read(meta)?.ok_or_else(|| odd("a schema number of odd size")),
        None => Err(odd("a schema number of odd size")),
    }
}
