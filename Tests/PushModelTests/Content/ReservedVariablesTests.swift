import PushModel
import Testing

@Suite struct ReservedVariablesTests {
    @Test(arguments: [
        ("aps", true, false), ("_mId", true, true), ("_dId", true, true), ("_msg", false, true),
        ("from", false, true),
        ("message_type", false, true), ("google", false, true), ("google.x", false, true),
        ("gcm", false, true),
        ("gcm.y", false, true), ("APS", false, false), ("title", false, false), ("fromage", false, false),
    ])
    func `each platform keeps its own names`(name: String, ios: Bool, android: Bool) {
        #expect(ReservedVariables.contains(name, on: .ios) == ios)
        #expect(ReservedVariables.contains(name, on: .android) == android)
    }

    @Test func `a data message's title takes its name from the variables`() {
        var content = Content(title: "T")
        #expect(ReservedVariables.takenOnAndroid(by: content) == ["title"])
        content.android.type = .notification
        #expect(ReservedVariables.takenOnAndroid(by: content).isEmpty)
        #expect(ReservedVariables.takenOnAndroid(by: Content(title: "")).isEmpty)
        #expect(ReservedVariables.takenOnAndroid(by: Content()).isEmpty)
    }
}
