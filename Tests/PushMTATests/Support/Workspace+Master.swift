import Foundation
import Glibc
import Testing

extension Workspace {
    /// The standard error of a command that submitted messages while no master was running.
    static let noMaster =
        "no master runs; start one with 'pushmta start' or 'pushmta run'; nothing is sent until then\n"

    /// Runs a master that serves the store. The master is stopped and reaped however the test ends.
    func withMaster(_ story: (RunningCommand) async throws -> Void) async throws {
        let master = try start(["run"])
        do { try await story(master) } catch {
            master.signal(SIGKILL)
            _ = try await master.finished()
            throw error
        }
        master.signal(SIGTERM)
        let finished = try await master.finished()
        #expect(finished.status == 0, "\(finished.errors)")
    }
}
