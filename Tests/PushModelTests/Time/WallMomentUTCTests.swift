import PushModel
import Testing

struct WallMomentUTCTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_795_255_200_250, "2026-11-21T10:00:00.250Z"),
            (1_795_255_200_007, "2026-11-21T10:00:00.007Z"), (-1, "1969-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func `milliseconds follow the seconds in the text`(milliseconds: Int64, text: String) {
        #expect(WallMoment(millisecondsSince1970: milliseconds).utcText == text)
    }
}
