import PushModel
import Testing

struct NumeralsTests {
    @Test(arguments: [
        (0, "0"), (999, "999"), (1_000, "1 000"), (1_234_567, "1 234 567"), (-1_000, "-1 000"),
        (Int.min, "-9 223 372 036 854 775 808"),
    ])
    func `thousands are separated in numbers`(value: Int, text: String) {
        #expect(Numerals.grouped(value) == text)
    }

    @Test(arguments: [
        (8_333.5, "8 334"), (-0.4, "0"), (.nan, "0"), (.infinity, "9 223 372 036 854 775 807"),
        (-1e300, "-9 223 372 036 854 775 808"),
    ])
    func `a fraction is shown as the nearest available numeral`(value: Double, text: String) {
        #expect(Numerals.grouped(value) == text)
    }

    @Test func `a count of one uses the singular`() {
        #expect(Numerals.count(1, "row") == "1 row")
        #expect(Numerals.count(0, "row") == "0 rows")
        #expect(Numerals.count(2_000, "row") == "2 000 rows")
    }
}
