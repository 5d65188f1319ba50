import GatewayAPNs
import GatewayFCM
import PushModel
import PushPayload
import Testing

@Suite struct PayloadErrorTests {
    @Test func `an error states in one line what to change`() {
        let errors: [(PayloadError, String)] = [
            (.tooLong(bytes: 4097, limit: 4096), "4097"), (.variablesMissing(["a"]), "\"a\""),
            (.variablesReserved(["aps"], .ios), "\"aps\""),
            (.customClashing(["c"]), "\"c\""), (.customNull(["d"]), "\"d\""),
            (.places(["title: {{ at character 1: is not closed by }}"]), "title: {{ at character 1"),
            (.nothingToShow, "silent"),
            (.outOfRange(path: "p", allowed: "0 to 1"), "0 to 1"), (.noNotificationText, "android.type"),
        ]
        for (error, word) in errors {
            #expect(error.description.contains(word))
            #expect(!error.description.contains("\n"))
        }
    }
}
