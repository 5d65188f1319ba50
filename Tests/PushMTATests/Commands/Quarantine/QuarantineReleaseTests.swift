import Foundation
import Testing

struct QuarantineReleaseTests {
    private static func workplace(_ count: Int = 4) async throws -> Workplace {
        let workplace = try await Workplace.withApp()
        try await workplace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workplace.subscribers(count))
        try await workplace.quarantineEverybody()
        return workplace
    }

    private static func release(_ workplace: Workplace, _ options: String...) async throws -> Finished {
        try await workplace.run(["quarantine", "release", "--app", "ios"] + options)
    }

    private static func count(_ workplace: Workplace) async throws -> String {
        try await workplace.succeed("subscribers", "count", "--app", "ios").output
    }

    @Test func `release works by token, by user key and for all of an app`() async throws {
        let workplace = try await Self.workplace()
        #expect(try await Self.count(workplace) == "0 valid, 4 quarantined, 0 disabled\n")
        // Apple's documentation writes tokens in upper case.
        let token = String(repeating: "0", count: 63) + "A"
        try await workplace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: "registrationToken,userKey\n\(token),ten\n")
        try await workplace.quarantineEverybody()
        #expect(try await Self.release(workplace, "--token", token).status == 0)
        #expect(try await Self.count(workplace) == "1 valid, 4 quarantined, 0 disabled\n")

        let one = try await Self.release(workplace, "--user-key", "user2")
        #expect(one.status == 0)
        #expect(one.output == "1 subscriber released, errors of 0 more forgotten\n")
        let rest = try await Self.release(workplace, "--all", "--yes")
        #expect(rest.output == "3 subscribers released, errors of 0 more forgotten\n")
        #expect(try await Self.count(workplace) == "5\n")
    }

    @Test func `the exit status reports that no device was released`() async throws {
        let workplace = try await Self.workplace()
        #expect(try await Self.release(workplace, "--token", "abcd").status == 1)
        #expect(try await Self.release(workplace, "--user-key", "nobody").status == 1)
        #expect(try await Self.release(workplace, "--all", "--yes").status == 0)
        #expect(try await Self.release(workplace, "--all", "--yes").status == 1)
    }

    @Test func `release requires --yes for all devices, and exactly one selection`() async throws {
        let workplace = try await Self.workplace()
        let unasked = try await Self.release(workplace, "--all")
        #expect(unasked.status == 3)
        #expect(unasked.errors.contains("--yes"))
        #expect(try await Self.release(workplace).status == 2)
        #expect(try await Self.release(workplace, "--all", "--user-key", "user1").status == 2)
        #expect(try await Self.release(workplace, "--yes", "--user-key", "user1").status == 2)
        #expect(try await Self.count(workplace) == "0 valid, 4 quarantined, 0 disabled\n")
    }

    @Test func `more devices than one transaction takes are released as well`() async throws {
        let workplace = try await Self.workplace(2_300)
        let rest = try await Self.release(workplace, "--all", "--yes")
        #expect(rest.output == "2 300 subscribers released, errors of 0 more forgotten\n")
        #expect(try await Self.count(workplace) == "2300\n")
    }
}
