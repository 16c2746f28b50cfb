//! `slice.refresh`: returns exactly the changes in a held slice.

use schemars::JsonSchema;
use sdl_retrieve::refresh::{Found, Lease, Outcome, RefreshDelta, Refreshed};
use serde::{Deserialize, Serialize};

use crate::call::action::{Action, ActionDef, Namespace, ReadAction, Render};
use crate::call::answers::{
    LeaseOut, Object, Truncation, append_block, append_text, begin_line, serialize_object,
};
use crate::call::budget;
use crate::call::context::ReadCx;
use crate::call::freshness::Sync;
use crate::call::leases::{HandleKind, LeaseWrite};
use crate::call::modules::Module;
use crate::call::scoped::without_scope;
use crate::call::stamp::Stamp;
use crate::kept::staled::{Staled, find_staled, write_staled};
use crate::slices::since::Since;
use crate::slices::{self, SliceEtag, SliceOut};
use crate::{Code, Explained, ToolError};

/// See [`ActionDef`].
pub(crate) struct SliceRefresh;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// From `slice.build`. Its `sliceHandle`.
    slice_handle: String,
    /// Last `ledgerVersion`/`currentVersion`. The version you hold: `ledgerVersion` of the build, or
    /// `currentVersion` of your last refresh.
    known_version: String,
    /// True adds `staled`. The memories, lessons and facts that these changes made stale.
    include_memories: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The handle, as given.
    slice_handle: String,
    /// The version, as given.
    known_version: String,
    /// The version you hold now: `knownVersion` of the next refresh.
    current_version: String,
    /// True if nothing in the slice changed, nor the lines of its cards.
    not_modified: bool,
    /// True if the known version can't be compared with: replace what you hold by `slice`.
    #[serde(skip_serializing_if = "Option::is_none")]
    fresh_instance: Option<bool>,
    /// What changed: `fromVersion`, `toVersion`, `changedSymbols[]` (`symbolId`, `changeType` added, removed,
    /// modified, renamed or moved, the new `card`), `movedCards[]` (held cards at other lines: `file`, `ranges` of
    /// `[symbolId, startLine, endLine]`), `blastRadius[]`, `truncation?`, `spilloverHandle?`. The manual page `wire`
    /// has every field.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Object>")]
    delta: Option<Object>,
    /// How long the handle is valid.
    lease: LeaseOut,
    /// With `freshInstance`: identifies the slice.
    #[serde(skip_serializing_if = "Option::is_none")]
    slice_etag: Option<SliceEtag>,
    /// With `freshInstance`: `standard` or `compact`.
    #[serde(skip_serializing_if = "Option::is_none")]
    wire_format: Option<String>,
    /// With `freshInstance`: version of `compact`.
    #[serde(skip_serializing_if = "Option::is_none")]
    wire_format_version: Option<u8>,
    /// With `freshInstance` and `compact`: where the format is explained.
    #[serde(skip_serializing_if = "Option::is_none")]
    how_to_decode: Option<String>,
    /// With `freshInstance`: the whole slice, in the format of the build.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Object>")]
    slice: Option<serde_json::Value>,
    /// With `freshInstance`: what did not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncation: Option<Truncation>,
    /// With `freshInstance`, if the build asked for it: how the start symbols were found.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Object>")]
    retrieval_evidence: Option<sdl_retrieve::Evidence>,
    /// With `includeMemories`: what the changes made stale, 10 at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    staled: Option<Vec<Staled>>,
    #[serde(skip)]
    #[schemars(skip)]
    rendered: String,
}

impl Action for SliceRefresh {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "slice.refresh",
        namespace: Namespace::Query,
        mutating: false,
        description: "Call this when you hold a slice and files may have changed: you get exactly what changed since",
        needs: "sliceHandle,knownVersion",
        examples: &[r#"{"sliceHandle":"h_0000000000000ab","knownVersion":"v1770600000000"}"#],
        aliases: &[],
    };
    const MODULE_FIELDS: &'static [(Module, &'static [&'static str])] =
        &[(Module::Memory, &["includeMemories", "staled"])];
}

impl ReadAction for SliceRefresh {
    const SYNC: Sync = Sync::Require;
    const ACROSS: bool = true;

    fn handle(request: &Request) -> Option<(HandleKind, &str)> {
        Some((HandleKind::Slice, &request.slice_handle))
    }

    fn run(cx: &ReadCx<'_>, request: Request) -> Result<Response, ToolError> {
        let known = request.known_version.parse::<Stamp>().map_err(|e| {
            ToolError::invalid(
                "knownVersion",
                format!("{e}; send the version of the last answer about this slice"),
            )
        })?;
        let lease = held_lease(cx, &request.slice_handle)?;
        let spillover = slices::new_handle(cx, HandleKind::Spillover);
        let since = Since::of(cx, known, &lease)?;
        let whole = lease.request.budget.max_estimated_tokens as usize;
        let (refreshed, response) =
            since.find(cx, &lease, |found| within_budget(cx, &request, found, whole, &spillover))?;
        let spilled = match &refreshed.outcome {
            Outcome::NotModified => &[][..],
            Outcome::Delta(delta) => &delta.spilled,
            Outcome::Fresh(built) => &built.spilled,
        };
        slices::keep_spilled(cx, &spillover, spilled, &lease.request);
        if refreshed.lease == lease {
            cx.write(LeaseWrite::Renew { handle: request.slice_handle });
        } else {
            slices::hold_lease(cx, &request.slice_handle, &refreshed.lease, Some(&lease));
        }
        Ok(response)
    }
}

/// Returns as many findings as fit: the whole answer, not just the findings, stays within the slice's budget.
fn within_budget(
    cx: &ReadCx<'_>,
    request: &Request,
    found: &Found<'_>,
    whole: usize,
    spillover: &str,
) -> Result<(Refreshed, Response), ToolError> {
    let cut = |max_tokens: usize| {
        let refreshed = found.cut(max_tokens as u32)?;
        let response = Response::of(cx, request, &refreshed, spillover)?;
        let total = if found.is_modified() { cx.around()? + budget::json_tokens(&response)? } else { 0 };
        Ok(((refreshed, response), total))
    };
    let (fitted, total) = budget::fit_answer(cx.call.cancel, whole, whole, cut)?;
    if total > whole {
        // Changes within the slice are never cut, because a client that misses one of them holds a wrong slice.
        cx.note(format!(
            "what changed takes {total} tokens, more than the {whole} that the slice was built with"
        ));
    }
    Ok(fitted)
}

/// Returns the lease of the handle.
fn held_lease(cx: &ReadCx<'_>, handle: &str) -> Result<Lease, ToolError> {
    match cx.held() {
        Ok(held) => Lease::from_bytes(&held.data).ok_or_else(|| {
            let message =
                format!("{handle} was written by another release; build the slice again with slice.build");
            let error = ToolError::new(Code::UnknownHandle, message).at("sliceHandle");
            slices::or_build_again(cx, error, None)
        }),
        Err(error) => {
            let expired = cx.call.leases.data_of(cx.repo, handle).map(without_scope);
            let lease = expired.as_deref().and_then(Lease::from_bytes);
            Err(slices::or_build_again(cx, error, lease.as_ref()))
        }
    }
}

impl Response {
    fn of(
        cx: &ReadCx<'_>,
        request: &Request,
        refreshed: &Refreshed,
        spillover: &str,
    ) -> Result<Self, ToolError> {
        let mut response = Self {
            slice_handle: request.slice_handle.clone(),
            known_version: request.known_version.clone(),
            current_version: cx.stamp().to_string(),
            not_modified: false,
            fresh_instance: None,
            delta: None,
            lease: slices::lease_out(cx, &refreshed.lease),
            slice_etag: None,
            wire_format: None,
            wire_format_version: None,
            how_to_decode: None,
            slice: None,
            truncation: None,
            retrieval_evidence: None,
            staled: None,
            rendered: String::new(),
        };
        match &refreshed.outcome {
            Outcome::NotModified => response.not_modified = true,
            Outcome::Delta(delta) => {
                response.take_delta(delta, spillover)?;
                let (changed, from) = (delta.delta.changed_symbols.iter(), delta.delta.from_version);
                response.staled =
                    find_staled(cx, request.include_memories, changed, (from, delta.delta.to_version))?;
                write_staled(&mut response.rendered, response.staled.as_ref());
            }
            Outcome::Fresh(built) => {
                let spillover = (!built.spilled.is_empty()).then(|| spillover.to_owned());
                let out = SliceOut::of(built, refreshed.lease.request.wire_format, spillover);
                response.fresh_instance = Some(true);
                response.slice_etag = Some(SliceEtag {
                    handle: request.slice_handle.clone(),
                    version: cx.stamp().to_string(),
                    slice_hash: built.hash.clone(),
                });
                response.wire_format = Some(out.wire_format);
                response.wire_format_version = out.wire_format_version;
                response.how_to_decode = out.how_to_decode;
                response.slice = Some(out.slice);
                response.truncation = out.truncation;
                response.retrieval_evidence = out.retrieval_evidence;
                response.rendered = sdl_retrieve::wire::slice_text(&built.doc);
            }
        }
        Ok(response)
    }

    fn take_delta(&mut self, found: &RefreshDelta, spillover: &str) -> Result<(), ToolError> {
        let mut delta = found.to_object()?;
        for symbol in &found.delta.changed_symbols {
            let place = symbol.range.map(|range| format!(":{}", range.start_line)).unwrap_or_default();
            let kind = serde_json::to_value(symbol.change_type).unwrap_or_default();
            let kind = kind.as_str().unwrap_or_default();
            begin_line(
                &mut self.rendered,
                format_args!("{kind} {} {} {}{place}", symbol.symbol_id, symbol.name, symbol.file),
            );
            if let Some(card) = &symbol.card {
                begin_line(&mut self.rendered, format_args!("{}", sdl_retrieve::card::card_text(card)));
            }
        }
        for moved in &found.moved_cards {
            for card in &moved.ranges {
                let (first, last) = (card.range.start_line, card.range.end_line);
                begin_line(
                    &mut self.rendered,
                    format_args!("moved {} to {}:{first}-{last}", card.symbol, moved.file),
                );
            }
        }
        if !found.spilled.is_empty() {
            let handle = spillover.to_owned();
            let truncation = Truncation {
                truncated: true,
                dropped_cards: found.spilled.len() as u64,
                dropped_edges: 0,
                spillover_handle: Some(handle.clone()),
                how_to_resume: "slice.spillover.get with spilloverHandle".to_owned(),
            };
            self.rendered.push_str(&truncation.line());
            append_text(&mut self.rendered, format_args!(" {handle}"));
            delta.insert("truncation".into(), serialize_object(&truncation)?.into());
            delta.insert("spilloverHandle".into(), handle.into());
        }
        self.delta = Some(delta);
        Ok(())
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let (handle, known, current) = (&self.slice_handle, &self.known_version, &self.current_version);
        if self.not_modified {
            return format!("{handle} not modified from {known} to {current}");
        }
        let what = if self.fresh_instance.is_some() { "whole slice again" } else { "changed" };
        let mut text = format!("{handle} {known} -> {current}, {what}");
        append_block(&mut text, self.rendered.trim_end());
        if let Some(truncation) = &self.truncation {
            text.push_str(&truncation.line());
        }
        text
    }
}
