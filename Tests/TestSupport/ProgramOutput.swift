import Foundation

/// A program that is found by PATH, such as a client that a test runs.
package enum ProgramOutput {
    /// Runs the program until it ends, without input.
    /// - Returns: What it wrote to its output and its error output.
    package static func of(_ program: String, _ arguments: [String]) async throws -> String {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        // Reading blocks a thread, and the cooperative pool has few.
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let data = pipe.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                continuation.resume(returning: String(decoding: data, as: UTF8.self))
            }
        }
    }
}
