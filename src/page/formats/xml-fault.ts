/** What is wrong with a document, in words; its place is added by the reader of the document. */
export class XmlFault extends Error {}
