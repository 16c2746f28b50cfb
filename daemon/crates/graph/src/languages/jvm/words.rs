//! The members of built-in types of the JVM's languages.

use crate::words::words;

words! {
    pub(super) BUILTIN = "\
        add addAll all append apply asList charAt clear clone close collect compareTo contains containsKey \
        containsValue count delete doubleValue endsWith entrySet equals equalsIgnoreCase filter find \
        findFirst first flatMap floatValue flush forEach format get getAndSet getBytes getClass getKey \
        getMessage getName getOrDefault getValue hasMoreElements hasNext hashCode indexOf insert intValue \
        intern invoke isEmpty isPresent iterator join keySet last lastIndexOf length let limit lines \
        longValue map matches max min name next notify notifyAll offer ordinal peek poll pop print \
        printStackTrace println push put putAll putIfAbsent read readLine reduce remove removeAll replace \
        replaceAll reverse run set setLength size sort sorted split startsWith stream sub subList substring \
        sum test then toArray toCharArray toLowerCase toString toUpperCase trim valueOf values wait write";
    pub(super) OF_KOTLIN = "\
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
