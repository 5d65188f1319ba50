import Foundation
import PushAPI
import PushModel
import TestRequests
import Testing

/// What an app's certificate allows, also if a later change keeps it.
struct KeptCertificateTests {
    private static func certificate(_ kind: String) throws -> CredentialFile {
        let tests = URL(filePath: #filePath).appending(path: "../../..").standardized
        let name = kind.isEmpty ? "certificate.pem" : "certificate-\(kind).pem"
        let bytes = try Data(contentsOf: tests.appending(path: "PushMTATests/Fixtures/\(name)"))
        return CredentialFile(name: name, contents: .pem(Array(bytes)))
    }

    private static func instance(
        _ kind: String, bundleID: String? = nil, connector: String = "iosHTTP2"
    ) throws -> (TestInstance, AppChange) {
        let instance = try TestInstance()
        _ = try instance.operations.carryOut(CreateService(name: "neotrips"))
        let change = try instance.operations.carryOut(
            CreateApp(
                name: "c1", service: "neotrips", platform: .ios, integrationKey: "key", connector: connector,
                bundleId: bundleID, credential: try certificate(kind)))
        return (instance, change)
    }

    private static func refusal(_ update: UpdateApp, in instance: TestInstance) -> String? {
        let error = failure { () throws(OperationError) in _ = try instance.operations.carryOut(update) }
        #expect(error?.kind == .refused)
        return error?.description
    }

    @Test(arguments: ["iosHTTP2", "ios"])
    func `a certificate for one environment that the app keeps is refused in the other`(connector: String)
        throws
    {
        let (instance, _) = try Self.instance("production", connector: connector)
        let told = Self.refusal(UpdateApp(name: "c1", environment: .sandbox), in: instance)
        #expect(told?.contains("the certificate that the app has is for production alone") == true)
        #expect(told?.contains("--environment production") == true)
        // The stub shows none, so it may be anywhere, and cannot be left with what does not fit.
        _ = try instance.operations.carryOut(
            UpdateApp(name: "c1", environment: .sandbox, connector: "stub"))
        let back = Self.refusal(UpdateApp(name: "c1", connector: connector), in: instance)
        #expect(back?.contains("for production alone") == true)
        #expect(try instance.operations.carryOut(ShowApp(name: "c1")).app.connector == .stub)
        // With another one, or in its own environment, it goes.
        _ = try instance.operations.carryOut(
            UpdateApp(name: "c1", environment: .production, connector: connector))
        let both = try Self.certificate("")
        _ = try instance.operations.carryOut(
            UpdateApp(name: "c1", environment: .sandbox, credential: both))
        #expect(try instance.operations.carryOut(ShowApp(name: "c1")).app.environment == .sandbox)
        // What has nothing to do with it is changed as ever.
        _ = try instance.operations.carryOut(UpdateApp(name: "c1", label: "Shop"))
    }

    @Test func `a VoIP certificate's app never has the ending in its bundle id, however it gets there`()
        throws
    {
        let topic = "com.example.neotrips.voip"
        let (instance, created) = try Self.instance("voip", bundleID: topic)
        #expect(created.app.bundleId == "com.example.neotrips")
        #expect(created.warnings.count == 1 && created.warnings[0].contains("sending adds .voip"))
        let updated = try instance.operations.carryOut(UpdateApp(name: "c1", bundleId: topic))
        #expect(updated.app.bundleId == "com.example.neotrips" && updated.warnings == created.warnings)
        let other = try instance.operations.carryOut(UpdateApp(name: "c1", bundleId: "com.example.other"))
        #expect(other.app.bundleId == "com.example.other")
        #expect(other.warnings.count == 1 && other.warnings[0].contains("the certificate is for"))
        // The id was there first, and the certificate comes later.
        _ = try instance.operations.carryOut(UpdateApp(name: "c1", credential: try Self.certificate("")))
        _ = try instance.operations.carryOut(UpdateApp(name: "c1", bundleId: topic))
        #expect(try instance.operations.carryOut(ShowApp(name: "c1")).app.bundleId == topic)
        let late = try instance.operations.carryOut(
            UpdateApp(name: "c1", credential: try Self.certificate("voip")))
        #expect(late.app.bundleId == "com.example.neotrips")
    }
}
