//! Rust: methods of traits, of blocks and of pointers.

use sdl_model::facts::{Expr, ExprIx, Ref, RefForm};
use sdl_model::{Lang, SymbolKind};

use super::traits::of_trait_in_scope;
use super::{Rust, blocks, members, pointers};
use crate::infer::{Ctx, Infer, Ty};
use crate::resolve::{CallRules, Outcome, Resolver, rule_of_receiver};
use crate::strategies::TRAIT_IN_SCOPE;
use crate::words::words;
use crate::world::{DefRef, Sym};

impl CallRules for Rust {
    fn is_builtin_member(&self, _: Lang, name: &str) -> bool {
        BUILTIN.contains(name)
    }

    /// `Trait::name(value, …)`.
    fn member_call(
        &self,
        resolver: &Resolver<'_, '_>,
        one: &Ref,
        recv: ExprIx,
        name: Sym,
    ) -> Option<Outcome> {
        let Expr::Either(parts) = resolver.infer.own.arena().expr(recv) else { return None };
        let ([path, value], RefForm::PathCall) = (parts.as_slice(), one.form) else { return None };
        Some(match resolver.member_of(one, *path, name, true) {
            Outcome::External => {
                of_outside_trait(resolver, one, *path, *value, name).unwrap_or(Outcome::External)
            }
            found => found,
        })
    }

    fn is_of_pointer(&self, infer: &Infer<'_, '_>, ctx: &Ctx<'_>, recv: ExprIx, name: &str) -> bool {
        pointers::is_of_pointer(infer, ctx, recv, name)
    }

    /// The member that the impl block around has for `self`. None if the type is from outside and may have it itself.
    fn own_member(&self, resolver: &Resolver<'_, '_>, ctx: &Ctx<'_>, ty: &Ty, name: Sym) -> Option<DefRef> {
        let infer = &resolver.infer;
        let is_outside = matches!(ty, Ty::External(_)) && resolver.is_builtin_member(&infer.w.text(name));
        if is_outside { None } else { blocks::member_of_block(infer, ctx, name) }
    }

    fn by_trait(
        &self,
        resolver: &Resolver<'_, '_>,
        one: &Ref,
        recv: ExprIx,
        ty: &Ty,
        outside: bool,
    ) -> Option<Outcome> {
        // `state.lock()` does not return the guarded value itself, so a trait's method may be meant.
        if !outside && !is_lock(&resolver.ctx(one), recv) {
            return None;
        }
        let name = resolver.infer.own.sym(resolver.infer.w, one.name);
        let is_function = outside && matches!(ty, Ty::Func(..) | Ty::Callable(_));
        let def = of_trait_in_scope(resolver, one, name, is_function)?;
        Some(Outcome::one(def, &TRAIT_IN_SCOPE))
    }

    fn guessed_by_trait(
        &self,
        resolver: &Resolver<'_, '_>,
        one: &Ref,
        name: Sym,
        found: &[DefRef],
    ) -> Option<Outcome> {
        let def = of_trait_in_scope(resolver, one, name, false)?;
        let is_inherent = found.iter().any(|def| is_inherent(resolver, *def));
        (!is_inherent).then(|| Outcome::one(def, &TRAIT_IN_SCOPE))
    }

    /// Where most return types of a library are known, a remaining receiver is more often from outside than of one of
    /// several types here.
    fn narrow_guess(&self, resolver: &Resolver<'_, '_>, one: &Ref, found: &mut Vec<DefRef>) {
        resolver.drop_unfitting(one, found);
        if found.len() > 1 {
            found.clear();
        }
    }
}

/// Whether `ix` calls a method that acquires a lock, such as `lock` or `try_read`.
fn is_lock(ctx: &Ctx<'_>, ix: ExprIx) -> bool {
    let Expr::Call(callee, 0) = ctx.arena.expr(ix) else { return false };
    let Expr::Attr(_, name) = ctx.arena.expr(*callee) else { return false };
    matches!(ctx.arena.str(*name), "lock" | "read" | "write" | "try_lock" | "try_read" | "try_write")
}

/// The method with which a type of the repository implements one of a trait from outside.
fn of_outside_trait(
    resolver: &Resolver<'_, '_>,
    one: &Ref,
    path: ExprIx,
    value: ExprIx,
    name: Sym,
) -> Option<Outcome> {
    let infer = &resolver.infer;
    let ctx = resolver.ctx(one);
    let (Expr::Name(last) | Expr::Path(_, last)) = ctx.arena.expr(path) else { return None };
    if pointers::is_of_pointer(infer, &ctx, value, &infer.w.text(name)) {
        return Some(Outcome::External);
    }
    let value = infer.eval(&ctx, value);
    let mut found = Vec::new();
    for ty in value.ty.each() {
        let class = ty.instance_of()?;
        found.push(members::implemented_member(infer, class, ctx.arena.str(*last), name)?);
    }
    (!found.is_empty()).then(|| Outcome::Found(found, rule_of_receiver(value.how)))
}

/// Whether a method is in an impl block without a trait.
fn is_inherent(resolver: &Resolver<'_, '_>, def: DefRef) -> bool {
    let file = resolver.infer.file(def.file);
    let parent = file.outline.def(def.def).and_then(|def| def.parent);
    parent
        .and_then(|parent| file.outline.def(parent))
        .is_some_and(|parent| parent.kind == SymbolKind::Impl && parent.bases.is_empty())
}

words! {
    BUILTIN = "\
        abs all and and_then any append as_bytes as_deref as_deref_mut as_mut as_ref as_slice as_str borrow \
        borrow_mut bytes capacity chain char_indices chars checked_add checked_sub chunks clear clone cloned \
        cmp collect concat contains contains_key copied copy_from_slice count cycle dedup default display drain drop \
        ends_with entry enumerate env eq eq_ignore_ascii_case err exists expect expect_err extend \
        extend_from_slice extension fetch_add file_name file_type fill filter filter_map find find_map first \
        flat_map flatten flush fmt fold for_each fuse ge get get_mut get_or_insert_with gt hash insert \
        insert_str inspect into into_boxed_slice into_inner into_iter into_iter_mut is_ascii \
        is_char_boundary is_dir is_empty is_err is_file is_none is_ok is_some is_some_and iter iter_mut join \
        keys last le len lines load lock lt map map_err map_or map_or_else max max_by max_by_key metadata \
        min min_by min_by_key ne next next_back nth ok ok_or ok_or_else or or_default or_else or_insert \
        or_insert_with output parent parse partial_cmp partition peek peekable pop pop_back pop_front \
        position product push push_back push_front push_str read read_line read_to_end read_to_string recv \
        remove repeat replace reserve resize retain rev reverse rfind rsplit rsplit_once saturating_add \
        saturating_sub seek send set shrink_to_fit skip skip_while sort sort_by sort_by_key sort_unstable \
        spawn split split_at split_off split_once split_whitespace splitn starts_with status step_by store \
        strip_prefix strip_suffix sum swap take take_while then then_some to_ascii_lowercase \
        to_ascii_uppercase to_bytes to_lowercase to_os_string to_owned to_path_buf to_str to_string \
        to_string_lossy to_uppercase to_vec transpose trim trim_end trim_end_matches trim_start \
        trim_start_matches truncate try_from try_into try_lock unwrap unwrap_err unwrap_or unwrap_or_default \
        unwrap_or_else values values_mut wait windows with wrapping_add write write_all write_fmt write_str \
        zip";
}
