//! The state that a client knows, with which a held slice is compared.

use sdl_model::Version;
use sdl_retrieve::layer::Layer;
use sdl_retrieve::refresh::{Found, Lease, Place, find, find_between, find_fresh_unsaved, find_standing};

use crate::ToolError;
use crate::call::context::ReadCx;
use crate::call::outlines::StoredOutlines;
use crate::call::stamp::Stamp;

/// The state that a client knows, if it is still available.
pub(crate) enum Since {
    /// A version without unsaved buffers.
    Version(Version),
    /// A version where there are or were unsaved buffers, as a layer over the newest version.
    State(Version, Box<Layer>),
    /// A state of a workspace.
    Across(Stamp),
    /// A state that is no longer known: the client gets the whole slice.
    Lost,
}

impl Since {
    /// Returns the state `known`.
    pub(crate) fn of(cx: &ReadCx<'_>, known: Stamp, lease: &Lease) -> Result<Self, ToolError> {
        if cx.across.is_some() {
            return Ok(Self::Across(known));
        }
        if known.overlay.is_none() && cx.overlay.is_none() {
            return Ok(Self::Version(known.version));
        }
        let is_kept = lease.incarnation == cx.snapshot.incarnation()
            && known.version <= cx.version
            && cx.snapshot.floor().is_some_and(|floor| floor <= known.version);
        if !is_kept {
            return Ok(Self::Lost);
        }
        let outlines = cx.source.outlines();
        let layer = match known.overlay {
            None => Layer::of_version(cx.snapshot, outlines, known.version)?,
            Some(seq) => match cx.call.buffers.state(cx.repo, known.version, seq) {
                Some(layer) => layer.moved_up(cx.snapshot, outlines, known.version)?,
                None => return Ok(Self::Lost),
            },
        };
        Ok(Self::State(known.version, Box::new(layer)))
    }

    /// Finds the changes of the slice since this state, up to the state that is answered from. Computes them once:
    /// `choose` decides how much of them is returned, and may try several sizes.
    pub(crate) fn find<T>(
        self,
        cx: &ReadCx<'_>,
        lease: &Lease,
        choose: impl FnOnce(&Found<'_>) -> Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        let outlines = StoredOutlines(cx.repo.facts());
        let enrichment = cx.repo.enrichment(cx.snapshot);
        let enrichment = enrichment.as_ref();
        let place = Place { source: cx.source, history: cx.snapshot, outlines: &outlines, enrichment };
        let nothing = Layer::default();
        let now = cx.overlay.map_or(&nothing, |overlay| &*overlay.layer);
        match self {
            Self::Version(known) => find(cx.snapshot, &outlines, lease, known, enrichment, choose),
            Self::Across(known) => {
                find_standing(cx.source, lease, (known.version, known.overlay), enrichment, choose)
            }
            Self::State(known, then) => find_between(&place, lease, (known, &then), now, choose),
            Self::Lost => find_fresh_unsaved(&place, lease, now, choose),
        }
    }
}
