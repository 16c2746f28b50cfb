//! Sessions, messages, dispatches, activity.
