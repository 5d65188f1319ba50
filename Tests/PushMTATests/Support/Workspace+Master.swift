import Foundation
import Glibc
import Testing

extension Workspace {
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
