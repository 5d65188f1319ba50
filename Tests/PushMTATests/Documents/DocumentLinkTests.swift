import Foundation
import Testing

/// Tests the links between pages and to other files of the repository.
struct DocumentLinkTests {
    @Test(arguments: DocumentPage.all)
    func `each link on a page leads to an existing file and heading`(page: DocumentPage) throws {
        let folder = PushMTATests.repository.appending(path: page.path).deletingLastPathComponent()
        for link in page.links {
            let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let file = parts[0].isEmpty ? page.path : String(parts[0])
            let target =
                parts[0].isEmpty
                ? PushMTATests.repository.appending(path: page.path)
                : URL(filePath: file, relativeTo: folder).standardizedFileURL
            guard FileManager.default.fileExists(atPath: target.path) else {
                Issue.record("\(page.path): there is no file for \(link)")
                continue
            }
            guard parts.count == 2, target.pathExtension == "md" else { continue }
            let text = try String(contentsOf: target, encoding: .utf8)
            let anchors = DocumentPage(path: file, text: text).anchors
            #expect(anchors.contains(String(parts[1])), "\(page.path): there is no heading for \(link)")
        }
    }
}
