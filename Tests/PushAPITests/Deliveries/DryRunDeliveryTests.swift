import Foundation
import PushAPI
import PushModel
import PushStore
import PushWire
import TestRequests
import Testing

struct DryRunDeliveryTests {
    private static func dryRun(_ changes: [String: Any] = [:], keys: [String]? = nil) throws -> DryRunDelivery
    {
        DryRunDelivery(
            document: try TestInstance.submission(changes).document, documentName: "sale.json", userKeys: keys
        )
    }

    @Test func `a dry run counts the recipients and the excluded devices, with the reasons`() throws {
        let instance = try TestInstance.withApp()
        _ = try instance.operations.carryOut(TestInstance.stubApp("droid", platform: .android))
        try instance.subscribe(5)
        try instance.refuse(try instance.operations.carryOut(try TestInstance.submission()).id)
        _ = try instance.operations.carryOut(DecideStorm(storm: "ios", judgement: .confirm))
        let app = try #require(try instance.store.catalogue.app(named: "ios"))
        let new = (6...8).map {
            SubscriberRecord(
                token: TestInstance.token($0), userKey: "user\($0)",
                parametersJSON: $0 == 7 ? #"{"city":"Paris"}"# : nil)
        }
        _ = try instance.store.subscriberImporter.upsert(new, into: app.id, at: TestInstance.noon)
        try instance.subscribe(2, to: "droid")

        let all = try instance.operations.carryOut(try Self.dryRun(["apps": ["ios", "droid"]]))
        #expect(all.label == "Spring sale" && all.targeted == 5 && all.excluded == 5)
        #expect(all.exclusions.map(\.reason) == ["in quarantine"] && all.exclusions.map(\.count) == [5])
        #expect(all.tooLarge == 0 && all.missingValues.isEmpty)
        #expect(all.apps.map(\.app) == ["ios", "droid"])
        #expect(all.apps.map(\.targeted) == [3, 2] && all.apps.map(\.excluded) == [5, 0])
        #expect(all.apps.allSatisfy { $0.sample != nil })

        let targets: [([String: any Sendable], Int, Int)] = [
            (["userKeys": ["user1", "user8", "nobody"]], 1, 1), (["where": ["city": "Paris"]], 1, 0),
            (["tokens": [TestInstance.token(6), TestInstance.token(7)]], 2, 0),
        ]
        for (target, targeted, excluded) in targets {
            let found = try instance.operations.carryOut(try Self.dryRun(["target": target]))
            #expect(found.targeted == targeted && found.excluded == excluded, "\(target)")
        }
        let listed = try Self.dryRun(["target": NSNull()], keys: ["user6", "user7"])
        #expect(try instance.operations.carryOut(listed).targeted == 2)
        // The target contains a user who receives no message.
        let left = try instance.operations.carryOut(try Self.dryRun(["target": ["userKeys": ["user1"]]]))
        #expect(left.targeted == 0 && left.excluded == 1 && left.apps.first?.sample == nil)
    }

    @Test func `listed recipients that no subscriber has are counted before and after the submission`()
        throws
    {
        let instance = try TestInstance.withApp()
        _ = try instance.operations.carryOut(TestInstance.stubApp("droid", platform: .android))
        try instance.subscribe(4)
        try instance.subscribe(2, to: "droid")
        let keys = ["user1", "user4", "user9", "typo"]
        let targets: [([String: any Sendable], listed: Int?, unknown: Int?)] = [
            (["userKeys": keys], 4, 2), (["userKeys": keys, "exclude": ["userKeys": ["user1"]]], 4, 2),
            (["tokens": [TestInstance.token(1), TestInstance.token(7)]], 2, 1), (["all": true], nil, nil),
        ]
        for (target, listed, unknown) in targets {
            let changes: [String: Any] = ["apps": ["ios", "droid"], "target": target]
            let found = try instance.operations.carryOut(try Self.dryRun(changes))
            #expect(found.listedRecipients == listed && found.unknownRecipients == unknown, "\(target)")
            let id = try instance.operations.carryOut(try TestInstance.submission(changes)).id
            let before = try instance.operations.carryOut(ShowDelivery(id: id)).order
            #expect(before?.listedRecipients == listed && before?.unknownRecipients == nil, "\(target)")
            try instance.accept(id)
            let after = try instance.operations.carryOut(ShowDelivery(id: id)).order
            #expect(after?.listedRecipients == listed && after?.unknownRecipients == unknown, "\(target)")
        }
    }

    @Test func `a user's other devices are excluded if each user is to be reached once`() throws {
        let instance = try TestInstance.withApp()
        _ = try instance.operations.carryOut(TestInstance.stubApp("droid", platform: .android))
        try instance.subscribe(3)
        try instance.subscribe(2, to: "droid")
        let target: [String: Any] = ["all": true, "oncePerUser": true]
        let found = try instance.operations.carryOut(
            try Self.dryRun(["apps": ["ios", "droid"], "target": target]))
        #expect(found.targeted == 3 && found.excluded == 2)
        #expect(found.exclusions.map(\.reason) == ["once per user"] && found.exclusions.map(\.count) == [2])
    }

    @Test
    func `recipients at the frequency cap are excluded, unless the delivery is a proof or ignores the cap`()
        throws
    {
        let instance = try TestInstance.withApp()
        _ = try instance.operations.carryOut(
            UpdateService(name: "neotrips") { $0.set(\.frequencyCap, to: FrequencyCap("1 in 1d")) })
        try instance.subscribe(3)
        let first = try TestInstance.submission(["target": ["userKeys": ["user1", "user2"]]])
        try instance.accept(try instance.operations.carryOut(first).id)
        let found = try instance.operations.carryOut(try Self.dryRun())
        #expect(found.targeted == 1 && found.excluded == 2)
        #expect(found.exclusions.map(\.reason) == ["frequency cap"] && found.exclusions.map(\.count) == [2])
        let urgent: [String: Any] = ["ignoreFrequencyCap": true]
        #expect(try instance.operations.carryOut(try Self.dryRun(urgent)).targeted == 3)
        let id = try instance.operations.carryOut(try TestInstance.submission(urgent)).id
        #expect(
            try instance.operations.carryOut(ShowDelivery(id: id)).order?.target
                == "all, regardless of the frequency cap")
        let proof = ProofDelivery(
            document: first.document, documentName: "sale.json", userKeys: ["user1"])
        let proofID = try instance.operations.carryOut(proof).id
        try instance.accept(proofID)
        #expect(try instance.store.deliveries.summary(of: proofID)?.counts.targeted == 1)
    }

    @Test func `texts that are truncated to the limit are counted for each app, by its gateway's limit`()
        throws
    {
        let instance = try TestInstance.withApp()
        _ = try instance.operations.carryOut(TestInstance.stubApp("droid", platform: .android))
        try instance.subscribe(3)
        try instance.subscribe(2, to: "droid")
        let app = try #require(try instance.store.catalogue.app(named: "ios"))
        let long = String(repeating: "é", count: 2_100)
        _ = try instance.store.subscriberImporter.upsert(
            [
                SubscriberRecord(
                    token: TestInstance.token(2), userKey: "user2", parametersJSON: #"{"name":"\#(long)"}"#)
            ], into: app.id, at: TestInstance.noon)
        func dryRun(_ content: [String: Any]) throws -> DryRunView {
            try instance.operations.carryOut(
                try Self.dryRun(["apps": ["ios", "droid"], "content": content]))
        }
        let whole = try dryRun(["title": "Hi", "body": "short", "shorten": true])
        #expect(whole.shortened == 0)
        let cut = try dryRun(["title": "Hi", "body": long, "shorten": true])
        #expect(cut.shortened == 5 && cut.apps.map(\.shortened) == [3, 2] && cut.tooLarge == 0)
        for app in cut.apps {
            let sample = try #require(app.sample)
            #expect(sample.bytes <= sample.limitBytes && sample.bytes > sample.limitBytes - 12)
        }
        let personal = try dryRun(["title": "Hi", "body": "{{name|friend}}", "shorten": true])
        #expect(personal.shortened == 1 && personal.tooLarge == 0)
        let uncut = try dryRun(["title": "Hi", "body": "{{name|friend}}"])
        #expect(uncut.shortened == 0 && uncut.tooLarge == 1)
    }

    @Test
    func `the sample is a payload with placeholders, and its size is the one that the gateway measures`()
        throws
    {
        let instance = try TestInstance.withApp()
        _ = try instance.operations.carryOut(TestInstance.stubApp("droid", platform: .android))
        for app in ["ios", "droid"] { try instance.subscribe(2, to: app) }
        let found = try instance.operations.carryOut(try Self.dryRun(["apps": ["ios", "droid"]]))
        let (ios, droid) = (try #require(found.apps[0].sample), try #require(found.apps[1].sample))
        #expect(ios.bytes == ios.payload.utf8.count && ios.limitBytes == 4_096)
        #expect(ios.payload.contains(#""aps":{"alert":{"title":"Hello"}}"#))
        #expect(ios.payload.contains(#""_mId":"2147483647","_dId":"2147483647""#), "\(ios.payload)")
        #expect(droid.bytes < droid.payload.utf8.count)
        #expect(!droid.payload.contains(TestInstance.token(1)))
        #expect(droid.payload.contains(String(repeating: "0", count: 64)))
        #expect(droid.payload.contains(#""432000s""#) && droid.payload.contains("Hello"))

        _ = try instance.operations.carryOut(UpdateApp(name: "ios", messageIdFormat: .uuid))
        let opaque = try instance.operations.carryOut(try Self.dryRun()).apps[0].sample
        #expect(opaque?.payload.contains("00000000-0000-0000-0000-000000000000") == true)
        let untracked = try instance.operations.carryOut(try Self.dryRun(["tracking": false])).apps[0].sample
        #expect(untracked?.payload == #"{"aps":{"alert":{"title":"Hello"}}}"#)
    }

    @Test func `a dry run refuses what a submission refuses, with the same message`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        let silent: [String: any Sendable] = ["title": "x", "ios": ["type": "silent"]]
        let wrong: [([String: any Sendable], [String]?)] = [
            (["apps": ["nobody"]], nil), (["strange": 1, "tracking": "yes"], nil), (["label": 7], nil),
            (["content": ["title": String(repeating: "x", count: 5_000)]], nil),
            (["target": ["where": ["town": "Paris"]], "allowEmpty": false], nil), ([:], ["user1"]),
            (["service": "other"], nil), (["content": silent], nil),
        ]
        for (changes, keys) in wrong {
            var submission = try TestInstance.submission(changes)
            submission.userKeys = keys
            let order = try Self.dryRun(changes, keys: keys)
            let refused = failure { () throws(OperationError) in
                _ = try instance.operations.carryOut(submission)
            }
            let error = failure { () throws(OperationError) in _ = try instance.operations.carryOut(order) }
            // A dictionary has no order, and errors are reported in the order of the document.
            #expect(error?.kind == .refused && refused?.kind == .refused, "\(changes)")
            #expect(error?.lines.sorted() == refused?.lines.sorted(), "\(changes)")
        }
        let short = ["schedule": ["validity": "30m"]]
        let warnings = try instance.operations.carryOut(try Self.dryRun(short)).warnings
        #expect(!warnings.isEmpty)
        #expect(try instance.operations.carryOut(try TestInstance.submission(short)).warnings == warnings)
    }

    @Test func `an app's warnings are shown with the app, and a target without a match causes a warning`()
        throws
    {
        let instance = try TestInstance.withApp()
        let content: [String: Any] = ["title": "x", "ios": ["sound": "bell.caf"]]
        let found = try instance.operations.carryOut(try Self.dryRun(["content": content]))
        #expect(found.targeted == 0 && found.warnings.count == 2)
        #expect(found.apps[0].warnings.count == 1 && found.warnings.contains(found.apps[0].warnings[0]))
    }

    @Test
    func `the estimated sending time follows from the throughput of earlier deliveries and from the rate`()
        throws
    {
        let instance = try TestInstance.withApp()
        try instance.subscribe(100)
        func seconds(_ changes: [String: Any] = [:]) throws -> Int? {
            try instance.operations.carryOut(try Self.dryRun(changes)).estimatedSeconds
        }
        let submitted = try instance.operations.carryOut(try TestInstance.submission())
        let part = try #require(
            try instance.store.preparation.prepareChunk(of: submitted.id, at: TestInstance.noon).part)
        var batch = OutcomeBatch(delivery: submitted.id)
        batch.accepted = (part.messages.lowerBound.rawValue...part.messages.upperBound.rawValue)
            .map(MessageID.init(rawValue:))
        #expect(try seconds() == nil)
        let limited = try instance.operations.carryOut(try Self.dryRun(["schedule": ["ratePerSecond": 3]]))
        #expect(limited.estimatedSeconds == 34 && limited.estimatedBy == .rate && limited.isLeast)
        let later = WallMoment(TestInstance.noon.time.advanced(bySeconds: 10))
        _ = try instance.store.outcomes.record([batch], at: later)
        let known = try instance.operations.carryOut(try Self.dryRun())
        #expect(known.estimatedSeconds == 10 && known.estimatedBy == .throughput && !known.isLeast)
        #expect(try instance.operations.carryOut(try Self.dryRun()).apps[0].messagesPerSecond == 10)
        #expect(try seconds(["schedule": ["ratePerSecond": 2]]) == 50)
        #expect(try seconds(["schedule": ["ratePerSecond": 1_000]]) == 10)
        #expect(try seconds(["target": ["userKeys": ["user1"]]]) == 1)
    }

    @Test func `neither a dry run nor a preview writes anything or contacts another process`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(20)
        instance.engine.carryOut { _, _ in
            Issue.record("another process received a request")
            return .notTaken
        }
        func files() throws -> [String: Data] {
            let folder = instance.folder.appending(path: "var")
            let names = try FileManager.default.contentsOfDirectory(
                atPath: folder.path(percentEncoded: false))
            // Readers record their position in the shared memory.
            let kept = names.filter { !$0.hasSuffix("-shm") }
            return Dictionary(
                uniqueKeysWithValues: try kept.map { ($0, try Data(contentsOf: folder.appending(path: $0))) })
        }
        let before = try files()
        for target: [String: any Sendable] in [["all": true], ["userKeys": ["user1", "user2"]]] {
            #expect(try instance.operations.carryOut(try Self.dryRun(["target": target])).targeted > 0)
        }
        _ = try instance.operations.carryOut(
            PreviewDelivery(
                document: try TestInstance.submission().document, documentName: "sale.json",
                who: .userKey("user1")))
        #expect(try files() == before && before.count >= 2)
        #expect(instance.engine.wakeUps == 0)
        #expect(try instance.operations.carryOut(ListDeliveries()).items.isEmpty)
    }
}
