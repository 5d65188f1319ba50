import GatewayKit
import PushAPI
import PushConfig
import PushConnectors
import PushModel
import PushStore
import PushWire
import Testing

struct OperationErrorTests {
    @Test func `invalid input is reported as refused, and an obstacle is reported as a failure`() {
        let refused: [any Error] = [
            StoreError(.limitReached(what: "tokens"), path: "p"), CredentialError.unusable("no key"),
            WireError.credential("no key"), ConfigurationError(cause: .refused, path: "p", findings: []),
        ]
        for error in refused { #expect(OperationError(error).kind == .refused) }
        #expect(OperationError(StoreError(.unknown(.app, name: "x"), path: "p")).kind == .absent)
        #expect(OperationError(StoreError(.duplicate(.app, name: "x"), path: "p")).kind == .conflict)
        let failed: [any Error] = [
            StoreError(.unreadableValue(during: "read"), path: "p"),
            ConfigurationError(cause: .unreadable, path: "p", findings: []),
            CancellationError(),
        ]
        for error in failed { #expect(OperationError(error).kind == .failed) }
        for cause in [StoreError.Cause.diskFull, .busy, .unwritable, .corrupt(what: "a page")] {
            #expect(OperationError(StoreError(cause, path: "p")).kind == .unavailable)
        }
    }

    @Test func `each fault has its own line`() {
        let document = WireError.document([
            Fault(path: "label", problem: "missing"),
            Fault(path: "apps", problem: "missing"),
        ])
        #expect(OperationError(document).lines == ["label: missing", "apps: missing"])
    }

    @Test func `an error that is already an operation error is passed on unchanged`() {
        let error = OperationError(.cancelled, "enough")
        #expect(OperationError(error) == error)
    }
}
