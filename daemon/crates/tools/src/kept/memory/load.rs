//! Loads memories, with their anchors led to where their symbols are.

use sdl_memory::Anchors;
use sdl_memory::notes::{Kind, Memory, memories_of};
use sdl_memory::store::put_followed;

use crate::ToolError;
use crate::call::context::{Call, ReadCx};
use crate::call::family::Family;
use crate::call::modules::Module;
use crate::call::owned::OwnedCx;
use crate::kept::anchors::{confirm_anchors, follow_anchors};

/// Returns the memories of some scopes, or of all, that are not over. Lessons only where their module is on, because nobody could have asked for them else.
pub(crate) fn load_memories(call: &Call<'_>, scopes: Option<&[String]>) -> Result<Vec<Memory>, ToolError> {
    let mut memories = call.host.agent().read(|reader| memories_of(reader, scopes))?;
    let now = call.leases.now();
    let lessons = call.modules().has(Module::Memory);
    memories.retain(|memory| !memory.is_expired(now) && (lessons || memory.kind() != Kind::Lesson));
    Ok(memories)
}

/// Leads the anchors of memories to where their symbols are, and stores that.
pub(crate) fn follow_memories(
    cx: &ReadCx<'_>,
    family: &Family,
    memories: &mut [Memory],
) -> Result<(), ToolError> {
    let mut rows: Vec<_> = memories.iter_mut().map(|row| (row.scope.as_str(), &mut row.anchors)).collect();
    let followed = follow_anchors(cx, family, &mut rows)?;
    if followed.is_empty() {
        return Ok(());
    }
    let followed: Vec<Memory> = followed.into_iter().filter_map(|at| memories.get(at).cloned()).collect();
    // Anchors that can't be written now are followed again by the next call.
    if let Err(error) = put_followed(cx.call.host.agent(), &followed) {
        cx.note(format!("links that were followed could not be stored: {error}"));
    }
    Ok(())
}

/// Returns the anchors of a memory, as the code is now; none without a repository. An anchor to code that is gone stays as it is.
pub(crate) fn confirmed_anchors(cx: &OwnedCx<'_>, memory: Memory) -> Result<Option<Anchors>, ToolError> {
    let Some(read) = cx.read else { return Ok(None) };
    let family = cx.family();
    let mut rows = [memory];
    follow_memories(read, &family, &mut rows)?;
    let [memory] = rows;
    confirm_anchors(read, &family, &memory.scope, &memory.anchors).map(Some)
}
