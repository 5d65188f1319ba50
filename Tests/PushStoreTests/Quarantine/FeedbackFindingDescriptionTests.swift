import PushModel
import PushStore
import Testing

@Suite struct FeedbackFindingDescriptionTests {
    @Test func `each result of a feedback read is logged in one line with its evidence`() {
        var finding = FeedbackFinding(
            result: .disabled, token: "0123abcd…", since: WallTime(secondsSince1970: 1_600_000_000),
            registered: WallTime(secondsSince1970: 1_500_000_000))
        #expect(
            "\(finding)"
                == "disabled 0123abcd…: app removed at 2020-09-13T12:26:40Z, last registered 2017-07-14T02:40:00Z"
        )
        finding.result = .registeredAgain
        #expect(
            "\(finding)".hasPrefix(
                "kept 0123abcd…: app removed at 2020-09-13T12:26:40Z, but last registered 2017-"))
        finding.result = .excludedAlready
        #expect("\(finding)".contains("excluded already"))
        finding.result = .unknownToken
        #expect(
            "\(finding)" == "ignored 0123abcd…: no subscriber has it; app removed at 2020-09-13T12:26:40Z")
    }
}
