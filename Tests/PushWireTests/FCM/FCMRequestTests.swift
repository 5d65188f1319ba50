import Foundation
import GatewayFCM
import PushModel
import PushWire
import Testing

@Suite struct FCMRequestTests {
    @Test func `the header fields of an account are constant, and the authorization is never indexed`() {
        let fields = FCMRequest.constantFields(
            authority: "fcm.googleapis.com", project: "p-1", authorization: "Bearer x")
        #expect(
            fields.map { "\($0.name)=\($0.value)" } == [
                ":method=POST", ":scheme=https", ":authority=fcm.googleapis.com",
                ":path=/v1/projects/p-1/messages:send", "content-type=application/json",
                "authorization=Bearer x",
            ])
        #expect(fields.filter(\.isSecret).map(\.name) == ["authorization"])
    }

    @Test(arguments: [
        (-5, 0), (0, 0), (1, 1), (432_000, 432_000), (2_419_200, 2_419_200), (2_419_201, 2_419_200),
    ])
    func `the lifetime of a message is its delivery's validity, but at most four weeks`(
        left: Int64, seconds: Int64
    ) {
        let now = WallTime(secondsSince1970: 0)
        #expect(FCMRequest.secondsToLive(until: WallTime(secondsSince1970: left), now: now) == seconds)
    }

    @Test func `extreme times do not overflow`() {
        let (first, last) = (WallTime(secondsSince1970: .min), WallTime(secondsSince1970: .max))
        let zero = WallTime(secondsSince1970: 0)
        #expect(FCMRequest.secondsToLive(until: last, now: zero) == FCMRequest.maximumSecondsToLive)
        #expect(FCMRequest.secondsToLive(until: last, now: first) == FCMRequest.maximumSecondsToLive)
        #expect(FCMRequest.secondsToLive(until: first, now: last) == 0)
    }

    @Test func `a connection test is sent as a dry run`() throws {
        let body = try JSONSerialization.jsonObject(with: Data(FCMRequest.validationBody(token: "a\"b")))
        #expect(body as? NSDictionary == ["validate_only": true, "message": ["token": "a\"b"]])
    }
}
