//! Java and Kotlin.

mod lookup;

use sdl_model::facts::{DefIx, Import};

use crate::modules::{self, ModRef, Place, split_last};
use crate::words::words;
use crate::world::{FileIx, Rules, Sym, World};

/// Java.
pub(super) struct Java;
/// Kotlin.
pub(super) struct Kotlin;

/// The rules that the two share: packages that files declare, and the source sets of one build.
macro_rules! shared_rules {
    () => {
        fn module(&self, w: &World<'_>, _: FileIx, _: DefIx, text: &str) -> Place {
            lookup::find_module(w, text)
        }

        fn import_name(&self, w: &World<'_>, from: FileIx, import: &Import, name: &str) -> Option<Place> {
            let module = modules::imported_module(w, from, import);
            let found = lookup::import_name(w, module, w.file(from).outline.str(import.module), name);
            Some(lookup::in_source_set(w, from, found))
        }

        fn import_module(&self, w: &World<'_>, from: FileIx, import: &Import) -> Option<Place> {
            let file = w.file(from);
            let (package, name) = split_last(file.outline.str(import.module));
            Some(modules::imported_module(w, from, import).or_else(|| {
                let found = lookup::import_name(w, lookup::find_module(w, package), package, name);
                lookup::in_source_set(w, from, found)
            }))
        }

        fn package_member(&self, w: &World<'_>, package: Sym, name: Sym) -> Place {
            lookup::package_member(w, package, name)
        }

        fn implicit(&self, w: &World<'_>, from: FileIx, _: DefIx, name: Sym) -> Place {
            lookup::in_source_set(w, from, lookup::find_implicit(w, &w.file(from), name))
        }

        fn spelled(&self, w: &World<'_>, from: FileIx, _: DefIx, dotted: &str, name: &str) -> Place {
            match modules::find_module(w, from, DefIx::MODULE, dotted) {
                found @ (Place::Module(_) | Place::Def(_)) => modules::find_inside(w, found, name),
                _ => Place::Missing,
            }
        }

        fn root(&self, w: &World<'_>, _: FileIx, name: &str) -> Place {
            lookup::find_root_name(w, name)
        }
    };
}

impl Rules for Java {
    shared_rules!();

    fn is_builtin_member(&self, name: &str) -> bool {
        BUILTIN.contains(name)
    }
}

impl Rules for Kotlin {
    shared_rules!();

    fn wildcard(&self, w: &World<'_>, from: FileIx, target: ModRef, name: Sym) -> Option<Place> {
        Some(lookup::in_source_set(w, from, modules::find_member(w, target, name)))
    }

    fn is_builtin_member(&self, name: &str) -> bool {
        OF_KOTLIN.contains(name) || BUILTIN.contains(name)
    }
}

words! {
    BUILTIN = "\
        add addAll all append apply asList charAt clear clone close collect compareTo contains containsKey \
        containsValue count delete doubleValue endsWith entrySet equals equalsIgnoreCase filter find \
        findFirst first flatMap floatValue flush forEach format get getAndSet getBytes getClass getKey \
        getMessage getName getOrDefault getValue hasMoreElements hasNext hashCode indexOf insert intValue \
        intern invoke isEmpty isPresent iterator join keySet last lastIndexOf length let limit lines \
        longValue map matches max min name next notify notifyAll offer ordinal peek poll pop print \
        printStackTrace println push put putAll putIfAbsent read readLine reduce remove removeAll replace \
        replaceAll reverse run set setLength size sort sorted split startsWith stream sub subList substring \
        sum test then toArray toCharArray toLowerCase toString toUpperCase trim valueOf values wait write";
    OF_KOTLIN = "\
        all also and any apply asIterable asReversed asSequence associate associateBy associateWith average \
        chunked coerceAtLeast coerceAtMost coerceIn component1 component2 contentEquals contentHashCode \
        contentToString copyInto copyOf copyOfRange count countOneBits dec decodeToString digitToInt \
        distinct distinctBy div drop dropLast dropWhile elementAt encodeToByteArray ensureCapacity fill \
        filterIndexed filterIsInstance filterNot filterNotNull findLast firstOrNull flatten fold foldIndexed \
        forEachIndexed getOrDefault getOrElse getOrNull getOrPut groupBy ifBlank ifEmpty inc indexOfFirst \
        indexOfLast inv isBlank isDigit isLetter isLetterOrDigit isLowerCase isNaN isNotBlank isNotEmpty \
        isNullOrBlank isNullOrEmpty isUpperCase isWhitespace joinToString lastOrNull lowercase lowercaseChar \
        mapIndexed mapIndexedNotNull mapKeys mapNotNull mapTo mapValues maxBy maxByOrNull maxOf maxOfOrNull \
        maxOrNull minBy minByOrNull minOf minOrNull minus minusAssign mod none onEach onEachIndexed or \
        orEmpty padEnd padStart partition plus plusAssign random rangeTo readText reduceOrNull rem \
        removeFirst removeFirstOrNull removeIf removeLast removeLastOrNull removePrefix removeSuffix \
        removeSurrounding repeat replaceFirst requireNoNulls retainAll reversed rotateLeft rotateRight shl \
        shr single singleOrNull slice sortBy sortDescending sortWith sortedBy sortedByDescending \
        sortedDescending sortedWith step subSequence substringAfter substringAfterLast substringBefore \
        substringBeforeLast sumBy sumOf take takeIf takeLast takeLowestOneBit takeUnless takeWhile times \
        toBigDecimal toBigInteger toBoolean toByte toByteArray toChar toCollection toDouble toDoubleOrNull \
        toFloat toHashSet toInt toIntOrNull toList toLong toLongOrNull toMap toMutableList toMutableMap \
        toMutableSet toRegex toSet toShort toSortedMap toSortedSet toTypedArray toUByte toUInt toULong \
        toUShort trimEnd trimIndent trimMargin trimStart unaryMinus unaryPlus unzip uppercase uppercaseChar \
        use ushr windowed with withIndex writeText xor zip zipWithNext";
}
