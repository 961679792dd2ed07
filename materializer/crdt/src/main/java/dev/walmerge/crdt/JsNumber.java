package dev.walmerge.crdt;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/** Numbers as JavaScript prints them (ECMA-262, Number::toString): the shortest digits that read back the same. */
final class JsNumber {
    private static final double EXACT_BELOW = 1e15;

    private JsNumber() {}

    static String format(double value) {
        if (Double.isNaN(value)) {
            return "NaN";
        }
        if (Double.isInfinite(value)) {
            return value > 0 ? "Infinity" : "-Infinity";
        }
        if (value == 0) {
            return "0";
        }
        if (value == Math.rint(value) && Math.abs(value) < EXACT_BELOW) {
            return Long.toString((long) value);
        }
        BigDecimal shortest = shortest(Math.abs(value));
        String digits = shortest.unscaledValue().toString();
        int point = digits.length() - shortest.scale();
        String text = layout(digits, point);
        return value < 0 ? "-" + text : text;
    }

    /** JDK 17's own conversion may give a digit too many, so fewer are tried from where it stands. */
    private static BigDecimal shortest(double value) {
        BigDecimal best = new BigDecimal(Double.toString(value)).stripTrailingZeros();
        BigDecimal exact = new BigDecimal(value);
        for (int digits = best.precision() - 1; digits > 0; digits--) {
            BigDecimal rounded = exact.round(new MathContext(digits, RoundingMode.HALF_EVEN));
            if (rounded.doubleValue() != value) {
                break;
            }
            best = rounded.stripTrailingZeros();
        }
        return best;
    }

    private static String layout(String digits, int point) {
        int count = digits.length();
        if (count <= point && point <= 21) {
            return digits + "0".repeat(point - count);
        }
        if (point > 0 && point <= 21) {
            return digits.substring(0, point) + "." + digits.substring(point);
        }
        if (point > -6 && point <= 0) {
            return "0." + "0".repeat(-point) + digits;
        }
        int exponent = point - 1;
        String mantissa = count == 1 ? digits : digits.charAt(0) + "." + digits.substring(1);
        return mantissa + "e" + (exponent < 0 ? "-" : "+") + Math.abs(exponent);
    }
}
