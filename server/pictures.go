package server

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/image"
	"github.com/neardup/neardup/server/api"
)

const (
	imagesPath  = "/v1/images"
	maxPictures = 50 // pictures of an article, as in package docid
)

func (s *Server) routesForPictures() {
	op := operation(Submit, http.MethodPost, imagesPath, "image", "Compute the PDQ hash of a picture, for the images of an article; nothing is stored")
	op.Description = "The body is the file: JPEG, PNG, GIF (the first frame), WebP, BMP or TIFF, as image/... or application/octet-stream."
	op.MaxBodyBytes = s.bodyLimit(imagesPath) + 1 // huma rejects a body of this size, and rest rejects a longer one
	register(s, with(op, http.StatusNotFound), s.image)
}

// bodyLimit returns the maximal size of a request body, in bytes.
func (s *Server) bodyLimit(path string) int64 {
	if path == imagesPath && s.cfg.Pictures != nil {
		return s.cfg.Pictures.OrDefault().Bytes
	}
	return maxBody
}

// weight returns how many long bodies a request counts for, according to its size in memory.
func (s *Server) weight(r *http.Request) int64 {
	n := s.bodyLimit(r.URL.Path)
	if r.ContentLength > 0 {
		n = min(n, r.ContentLength)
	}
	return (n + maxBody - 1) / maxBody
}

type pictureInput struct {
	RawBody []byte `contentType:"application/octet-stream"`
}

// image hashes a picture. A decoder needs much memory, so it needs a slot of the semaphore of long judgements.
func (s *Server) image(ctx context.Context, in *pictureInput) (api.Hashed, error) {
	if s.cfg.Pictures == nil {
		return api.Hashed{}, problem(http.StatusNotFound, api.CodeNotFound, "this server accepts no pictures (want neardup serve --images)")
	}
	if err := s.semaphore.Acquire(ctx); err != nil {
		return api.Hashed{}, err
	}
	defer s.semaphore.Release()
	p, err := image.Read(in.RawBody, *s.cfg.Pictures)
	if err != nil {
		return api.Hashed{}, at("body", "is not a readable picture: "+err.Error())
	}
	return api.Hashed{
		Image: api.Image{Hash: p.Hashes[0].String(), Quality: p.Quality},
		Width: p.Width, Height: p.Height, Flat: p.Quality < image.DefaultQuality,
	}, nil
}

// typesOf returns the Content-Types that a route accepts, in words and as a function.
func typesOf(path string) (words string, is func(t string) bool) {
	if path == imagesPath {
		return "image/... or application/octet-stream", func(t string) bool {
			return t == "application/octet-stream" || strings.HasPrefix(t, "image/")
		}
	}
	return "application/json", func(t string) bool { return t == "application/json" }
}

// refuseExtras returns an error for the pictures of an article if the service has the profile classic.
func (s *Server) refuseExtras(sub *docid.Submission) error {
	if len(sub.Pictures) > 0 && s.cfg.Classic != nil {
		return at("body.images", "the classic system accepts no pictures")
	}
	return nil
}

// toExtras converts the pictures of an article.
func toExtras(in api.Extras, location string) (x docid.Extras, err error) {
	if len(in.Images) > maxPictures {
		return x, at(location+".images", fmt.Sprintf("has more than %d pictures", maxPictures))
	}
	for i, one := range in.Images {
		h, err := image.ParseHash(one.Hash)
		if err != nil {
			return x, at(fmt.Sprintf("%s.images[%d].hash", location, i), "is not 64 hexadecimal digits")
		}
		if one.Quality < 0 || one.Quality > 100 {
			return x, at(fmt.Sprintf("%s.images[%d].quality", location, i), "is not 0 to 100")
		}
		x.Pictures = append(x.Pictures, docid.Picture{Hash: h, Quality: one.Quality})
	}
	return x, nil
}

func fromExtras(x docid.Extras) (out api.Extras) {
	for _, p := range x.Pictures {
		out.Images = append(out.Images, api.Image{Hash: p.Hash.String(), Quality: p.Quality})
	}
	return out
}

// rated decodes a picture without a quality as -1, because 0 would mean that the picture does not count.
var rated = json.WithUnmarshalers(json.UnmarshalFromFunc(func(d *jsontext.Decoder, image *api.Image) error {
	var in struct {
		Hash    string `json:"hash"`
		Quality *int   `json:"quality"`
	}
	err := json.UnmarshalDecode(d, &in)
	*image = (api.Image{Hash: in.Hash, Quality: -1})
	if in.Quality != nil {
		image.Quality = *in.Quality
	}
	return err
}))
