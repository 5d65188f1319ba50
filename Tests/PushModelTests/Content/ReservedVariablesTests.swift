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
    func `each platform reserves its own variable names`(name: String, ios: Bool, android: Bool) {
        #expect(ReservedVariables.contains(name, on: .ios) == ios)
        #expect(ReservedVariables.contains(name, on: .android) == android)
    }
}
