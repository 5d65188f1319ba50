import Foundation
import PushSystem
import Testing

@Suite struct DocumentFolderTests {
    @Test func `the pages that were installed with a program are in the tree of the program`() throws {
        let root = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: root) }
        let program = root.appending(path: "bin/pushmta").path
        #expect(DocumentFolder.installed(with: program) == nil)
        let folder = root.appending(path: "share/doc/pushmta/Docs")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        #expect(DocumentFolder.installed(with: program) == folder.path)
        #expect(DocumentFolder.installed(with: program + " (deleted)") == folder.path)
    }

    @Test func `a program that was not installed names the pages by their paths in the source tree`() {
        #expect(DocumentFolder.path == "Docs")
    }
}
