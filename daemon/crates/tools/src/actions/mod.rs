//! Every action. To add one: a file here, and a line below.

mod action_search;
mod activity_log;
mod agent_feedback;
mod agent_feedback_query;
mod agent_orchestrate;
mod buffer_checkpoint;
mod buffer_push;
mod buffer_status;
mod chain;
mod change_impact;
mod code_get_hot_path;
mod code_get_skeleton;
mod code_need_window;
mod context_assemble;
mod context_feedback;
mod context_summary;
mod delta_get;
mod dispatch_claim;
mod dispatch_complete;
mod dispatch_list;
mod dispatch_progress;
mod dispatch_start;
mod index_refresh;
mod info;
mod kg_add;
mod kg_invalidate;
mod kg_query;
mod kg_timeline;
mod lesson_store;
mod manual;
mod memory_query;
mod memory_remove;
mod memory_store;
mod memory_surface;
mod memory_update;
mod policy_get;
mod policy_set;
mod pr_risk_analyze;
mod repo_overview;
mod repo_register;
mod repo_status;
mod runtime_execute;
mod runtime_query_output;
mod scratch_clear;
mod scratch_read;
mod scratch_write;
mod session_inbox;
mod session_join;
mod session_list;
mod session_search;
mod session_send;
mod slice_build;
mod slice_refresh;
mod slice_spillover_get;
mod symbol_get_card;
mod symbol_get_cards;
mod symbol_path;
mod symbol_related;
mod symbol_rename;
mod symbol_search;
mod symbol_unused;
#[cfg(test)]
mod tests;
mod tool_call;
mod usage_stats;

use crate::call::registry::Entry;

/// Names under which actions are known from elsewhere, each with its action.
pub(crate) const SEED_NAMES: &[(&str, &str)] = &[
    ("assemble_context", "context.assemble"),
    ("context_feedback", "context.feedback"),
    ("commit_memory", "memory.store"),
    ("update_memory", "memory.update"),
    ("commit_agent_memory", "lesson.store"),
    ("kg_add_triple", "kg.add"),
    ("kg_query_entity", "kg.query"),
    ("report_dispatch", "dispatch.start"),
    ("report_progress", "dispatch.progress"),
    ("report_complete", "dispatch.complete"),
    ("list_dispatches", "dispatch.list"),
    ("write_psychic_cache", "scratch.write"),
    ("clear_psychic_cache", "scratch.clear"),
    ("list_sessions", "session.list"),
    ("log_activity", "activity.log"),
    ("post_session_directive", "session.send"),
];

/// The actions, in the order in which they are listed.
pub(crate) fn all() -> Vec<Entry> {
    vec![
        Entry::read::<symbol_search::SymbolSearch>(),
        Entry::read::<symbol_get_card::SymbolGetCard>(),
        Entry::read::<symbol_get_cards::SymbolGetCards>(),
        Entry::read::<symbol_related::SymbolRelated>(),
        Entry::read::<symbol_path::SymbolPath>(),
        Entry::read::<change_impact::ChangeImpact>(),
        Entry::read::<symbol_rename::SymbolRename>(),
        Entry::read::<symbol_unused::SymbolUnused>(),
        Entry::read::<slice_build::SliceBuild>(),
        Entry::read::<slice_refresh::SliceRefresh>(),
        Entry::read::<slice_spillover_get::SliceSpilloverGet>(),
        Entry::read::<delta_get::DeltaGet>(),
        Entry::read::<context_summary::ContextSummary>(),
        Entry::read::<pr_risk_analyze::PrRiskAnalyze>(),
        Entry::read::<code_get_skeleton::CodeGetSkeleton>(),
        Entry::read::<code_get_hot_path::CodeGetHotPath>(),
        Entry::read::<code_need_window::CodeNeedWindow>(),
        Entry::repo::<policy_get::PolicyGet>(),
        Entry::repo::<policy_set::PolicySet>(),
        Entry::read::<agent_orchestrate::AgentOrchestrate>(),
        Entry::host::<repo_register::RepoRegister>(),
        Entry::read::<repo_status::RepoStatus>(),
        Entry::read::<repo_overview::RepoOverview>(),
        Entry::repo::<index_refresh::IndexRefresh>(),
        Entry::repo::<buffer_push::BufferPush>(),
        Entry::repo::<buffer_checkpoint::BufferCheckpoint>(),
        Entry::repo::<buffer_status::BufferStatus>(),
        Entry::registry::<action_search::ActionSearch>(),
        Entry::host::<tool_call::ToolCall>(),
        Entry::host::<usage_stats::UsageStats>(),
        Entry::read::<agent_feedback::AgentFeedback>(),
        Entry::read::<agent_feedback_query::AgentFeedbackQuery>(),
        Entry::repo::<runtime_execute::RuntimeExecute>(),
        Entry::host::<runtime_query_output::RuntimeQueryOutput>(),
        Entry::owned::<memory_store::MemoryStore>(),
        Entry::owned::<memory_query::MemoryQuery>(),
        Entry::owned::<memory_remove::MemoryRemove>(),
        Entry::owned::<memory_surface::MemorySurface>(),
        Entry::owned::<context_assemble::ContextAssemble>(),
        Entry::owned::<context_feedback::ContextFeedback>(),
        Entry::owned::<memory_update::MemoryUpdate>(),
        Entry::owned::<lesson_store::LessonStore>(),
        Entry::owned::<scratch_write::ScratchWrite>(),
        Entry::owned::<scratch_read::ScratchRead>(),
        Entry::owned::<scratch_clear::ScratchClear>(),
        Entry::owned::<kg_add::KgAdd>(),
        Entry::owned::<kg_query::KgQuery>(),
        Entry::owned::<kg_timeline::KgTimeline>(),
        Entry::owned::<kg_invalidate::KgInvalidate>(),
        Entry::owned::<dispatch_start::DispatchStart>(),
        Entry::owned::<dispatch_claim::DispatchClaim>(),
        Entry::owned::<dispatch_progress::DispatchProgress>(),
        Entry::owned::<dispatch_complete::DispatchComplete>(),
        Entry::owned::<dispatch_list::DispatchList>(),
        Entry::owned::<session_join::SessionJoin>(),
        Entry::owned::<session_list::SessionList>(),
        Entry::owned::<session_search::SessionSearch>(),
        Entry::owned::<session_send::SessionSend>(),
        Entry::owned::<session_inbox::SessionInbox>(),
        Entry::owned::<activity_log::ActivityLog>(),
        Entry::registry::<info::Info>(),
        Entry::registry::<chain::Chain>(),
        Entry::registry::<manual::Manual>(),
    ]
}
