import GatewayAPNs
import GatewayFCM
import PushModel
import Testing

@Suite struct ContentSectionTests {
    @Test func `every text in a content is found with its path, and errors with their positions`() {
        var content = Content(title: "{{a}}", body: "{ {b} }", variables: ["v": "x{{"])
        content.ios.subtitle = "{{"
        content.ios.sound = .critical(name: "a{{b", volume: 3)
        content.ios.collapseID = "{{a}}"
        content.android.ticker = "{{{"
        content.android.channelID = "plain"
        #expect(content.personalTexts.map(\.path) == ["title"])
        #expect(
            content.placeProblems.map(\.path) == [
                "variables.v", "ios.subtitle", "ios.sound", "ios.collapseId", "android.ticker",
            ])
    }

    @Test func `the title of a data message reserves the name title among the variables`() {
        var content = Content(title: "T")
        #expect(content.namesTakenOnAndroid == ["title"])
        content.android.type = .notification
        #expect(content.namesTakenOnAndroid.isEmpty)
        #expect(Content(title: "").namesTakenOnAndroid.isEmpty)
        #expect(Content().namesTakenOnAndroid.isEmpty)
    }
}
